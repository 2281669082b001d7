// Hostile words in every field of a room that a tracker, a file, an agent or an error fills, and what they try: to run, load,
// style and pretend.
import { vi } from 'vitest';
import { type BoardRoom, makeConflict } from './board-room.ts';

export const EVIL = 'http://evil.example';

/** Each touches the probe or asks elsewhere when it gets its way. */
export const ATTACKS = [
  '<script>window.probe = 1</script>',
  `<img src=x onerror="window.probe = 2">`,
  `<img src="${EVIL}/pixel.png">`,
  `![seen](${EVIL}/pixel.png)`,
  '<svg onload="window.probe = 3"><script>window.probe = 3</script></svg>',
  '[click](javascript:window.probe=4)',
  '[click](data:text/html,<script>window.probe=5</script>)',
  `<a href="javascript:window.probe=6">click</a>`,
  `<style>body { display: none } @import "${EVIL}/x.css";</style>`,
  `<link rel="stylesheet" href="${EVIL}/x.css">`,
  `<iframe src="${EVIL}"></iframe><object data="${EVIL}"></object><embed src="${EVIL}">`,
  `<form action="${EVIL}"><input name="token"><button>Sign in again</button></form>`,
  `<div class="banner failed" style="position:fixed;inset:0;z-index:99" id="app">This session is over</div>`,
  `<base href="${EVIL}"><meta http-equiv="refresh" content="0;url=${EVIL}">`,
  `<video src="${EVIL}/v.mp4" autoplay></video><audio src="${EVIL}/a.mp3"></audio>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="window.probe=7"></style></mglyph></table></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=window.probe=8>"></noscript>`,
  `<details open ontoggle="window.probe=9"><summary>x</summary></details>`,
  `<!--><img src=x onerror="window.probe=10">-->`,
].join('\n\n');
export const SHORT = `"><img src=x onerror="window.probe=11"><b>`;
/** The same as a file may be named. */
const NAMED = `'><img src=x onerror='window.probe=13'>`;
const QUOTED = JSON.stringify(SHORT);

/** With a daemon that has other work. */
const PATIENCE = { timeout: 60_000, interval: 200 };

export interface Attacked {
  /** Addresses of the board where something hostile is shown. */
  places: string[];
}

type Listed = { id: string | null; title: string | null; name: string };

/** Fills the room; resolves when all of it is there, the turns ended. */
export async function attack(board: BoardRoom): Promise<Attacked> {
  const { mirror } = board;
  const { room } = mirror;
  await makeConflict(board);
  const number = mirror.open(`Hostile ${SHORT}`, {
    body: ATTACKS,
    labels: [SHORT, 'x" onmouseover="window.probe=12'],
    author: `mallory ${SHORT}`,
    url: 'javascript:window.probe=14',
    milestone: SHORT,
  });
  mirror.say(number, `mallory ${SHORT}`, ATTACKS);
  await room.ok('sync', 'web');
  attackConflict(board);
  await room.ok('sync', 'web');
  saveFiles(board);
  // Turns run meanwhile: new agents and chores count when their person says so.
  await room.json('chores');
  await room.ok('accept');
  const finished = await finishOne(board);
  const tasks = await vi.waitUntil(() => hostileTasks(board), PATIENCE);
  const { turns } = (await room.json('turns')) as { turns: { id: string; description: string }[] };
  const ofHostile = turns.filter(({ description }) => description.includes('probe'));
  const job = await startJob(board, tasks[0]!.id!);
  return {
    places: [
      ...tasks.map(({ id }) => `task/${id}`),
      `task/${finished}`,
      ...ofHostile.map(({ id }) => `turn/${id}`),
      `job/${job}`,
      'plan/Hostile',
      ...['', 'board', 'list', 'sync', 'history', 'agents', 'history?show=figures', 'plans'],
      `list?text=${encodeURIComponent(SHORT)}&owner=${encodeURIComponent(SHORT)}&sort=${encodeURIComponent(SHORT)}`,
      ...[`task/${encodeURIComponent(SHORT)}`, `turn/${encodeURIComponent(SHORT)}`],
      ...[`plan/${encodeURIComponent(SHORT)}`, encodeURIComponent(SHORT)],
    ],
  };
}

/** Both texts of a conflict. */
function attackConflict({ mirror }: BoardRoom): void {
  const issue = mirror.issues().find(({ title }) => title === 'Login fails on the phone')!;
  mirror.change(issue.id, (each) => {
    each.body = ATTACKS;
  });
  mirror.room.edit(`tasks/Login fails on the phone (issues#${issue.id}).md`, (text) =>
    text.replace('on every phone since Monday', `nowhere ${SHORT}`),
  );
}

function saveFiles({ mirror: { room } }: BoardRoom): void {
  const keys = [`owner: ${QUOTED}`, `sprint: ${QUOTED}`, `scope: x`, `active_form: ${QUOTED}`];
  const more = [`artifact: ${QUOTED}`, `due: 2027-01-01`, `labels: [${QUOTED}]`, `blocked_by: [${QUOTED}]`];
  room.save(`tasks/By hand.md`, ['---', 'status: draft', ...keys, ...more, '---', ATTACKS, ''].join('\n'));
  room.save(`tasks/${NAMED}.md`, `---\nstatus: draft\nparent: ${QUOTED}\n---\n${ATTACKS}\n`);
  room.save('tasks/Finished.md', `---\nstatus: draft\ntitle: ${QUOTED}\n---\n${ATTACKS}\n`);
  room.save(`tasks/Broken ${NAMED}.md`, `---\nstatus: ${QUOTED}\n---\n`);
  room.save(`chores/${NAMED}.md`, `---\nschedule: ${QUOTED}\n---\nx\n`);
  room.save('chores/hostile.md', `---\nschedule: "0 3 1 1 *"\nowner: claude\n---\n${ATTACKS}\n`);
  room.agent('mallory', { name: `Mallory ${SHORT}`, runner: 'command', command: [`/nowhere/${SHORT}`] });
  const plan = [
    'type: plan',
    `stage: ${QUOTED}`,
    `title: ${QUOTED}`,
    `owner: ${QUOTED}`,
    `sprint: ${QUOTED}`,
  ];
  const steps = `## Steps\n- [ ] ${SHORT}\n      ${SHORT}\n- [ ] [click](javascript:window.probe=15)\n`;
  room.save('artifacts/Hostile.md', ['---', ...plan, '---', ATTACKS, '', steps].join('\n'));
  room.save(`artifacts/${NAMED}.md`, `---\ntype: plan\nstage: [\n---\n`);
  // Its agent prints, asks and reports them, and ends with an error that holds them.
  const said = `'${SHORT}'`;
  room.save(
    'scripts/Hostile turn probe.sh',
    [
      `printf '%s\\n' ${said}`,
      `say '<img src=x onerror=window.probe=16>'`,
      `tool t1 Bash command '<img src=x onerror=window.probe=17>'`,
      `result t1 '<img src=x onerror=window.probe=18>'`,
      `taskroom progress "$TASKROOM_TASK" ${said}`,
      `taskroom ask "$TASKROOM_TASK" ${said}`,
      `printf '%s\\n' ${said} >&2`,
      'exit 3',
    ].join('\n'),
  );
  room.save('tasks/Hostile turn probe.md', '---\nstatus: todo\n---\nGo.\n');
}

/** Resolves with its id when it is in the history, where only a task comes to that the daemon saw before it was done. */
async function finishOne({ mirror: { room } }: BoardRoom): Promise<string> {
  const id = await vi.waitUntil(async () => {
    const { tasks } = (await room.json('list')) as { tasks: Listed[] };
    return tasks.find(({ name }) => name === 'Finished')?.id;
  }, PATIENCE);
  await room.ok('done', id);
  await vi.waitUntil(async () => JSON.stringify(await room.json('history')).includes(id), PATIENCE);
  return id;
}

/** Null until the daemon gave those saved by hand their ids, and the turn of the hostile agent ended. */
async function hostileTasks({ mirror: { room } }: BoardRoom): Promise<Listed[] | null> {
  const { tasks } = (await room.json('list')) as {
    tasks: (Listed & { waiting: boolean; running: unknown })[];
  };
  const found = tasks.filter(
    ({ title, name }) => title?.includes('probe') === true || /probe|^By hand$|^Login/.test(name),
  );
  const turn = found.find(({ name }) => name === 'Hostile turn probe');
  const isThere = found.length >= 5 && found.every(({ id }) => id !== null);
  return isThere && turn?.waiting === true && turn.running === null ? found : null;
}

async function startJob(board: BoardRoom, task: string): Promise<string> {
  const response = await fetch(`${board.url()}/api/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${board.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ task, command: `echo '${SHORT}'; exit 3`, description: SHORT, watch: SHORT }),
  });
  return ((await response.json()) as { id: string }).id;
}
