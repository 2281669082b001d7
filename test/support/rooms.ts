// The rooms inside a folder of src: two of them never import each other, and a loose file beside them is their door
// (it imports rooms) or their floor (rooms import it), never both.

export type RoomFault = { file: string; message: string };

/** Folders whose children have rules of their own: layers, providers. */
const NO_ROOMS = ['src', 'src/bin', 'src/providers', 'src/app/workers'];

type Use = { from: string; to: string };

/** What of `folder` a file belongs to: the room's name, `./name.ts` for a loose file, null outside. */
function childOf(folder: string, file: string): string | null {
  if (!file.startsWith(`${folder}/`)) return null;
  const [first, ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length > 0 ? first! : `./${first}`;
}

const isLoose = (child: string): boolean => child.startsWith('./');

function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}

function usesInside(folder: string, graph: ReadonlyMap<string, readonly string[]>): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const [from, targets] of graph) {
    const source = childOf(folder, from);
    for (const to of source === null ? [] : targets) {
      const target = childOf(folder, to);
      if (target !== null && target !== source) uses.set(`${source}\n${target}`, { from, to });
    }
  }
  return uses;
}

function* faultsOf(folder: string, uses: ReadonlyMap<string, Use>): Iterable<RoomFault> {
  const isFloor = new Map<string, Use>();
  for (const [key, use] of uses) {
    const [source, target] = key.split('\n') as [string, string];
    const back = uses.get(`${target}\n${source}`);
    if (!isLoose(source) && !isLoose(target) && back !== undefined && source < target) {
      const message = `the rooms ${source} and ${target} of ${folder} import each other: ${use.from} → ${use.to}, ${back.from} → ${back.to}`;
      yield { file: use.from, message };
    }
    if (!isLoose(source) && isLoose(target)) isFloor.set(target, use);
  }
  for (const [key, { from, to }] of uses) {
    const [source, target] = key.split('\n') as [string, string];
    const below = isLoose(source) && !isLoose(target) ? isFloor.get(source) : undefined;
    if (below !== undefined)
      yield { file: from, message: `is door and floor: it imports ${to}, and ${below.from} imports it` };
  }
}

/** @param graph the imports of every file, paths from the project's root */
export function* findRoomFaults(graph: ReadonlyMap<string, readonly string[]>): Iterable<RoomFault> {
  const folders = new Set([...graph.keys()].filter((file) => file.startsWith('src/')).flatMap(foldersAbove));
  for (const folder of folders) {
    if (!NO_ROOMS.includes(folder)) yield* faultsOf(folder, usesInside(folder, graph));
  }
}
