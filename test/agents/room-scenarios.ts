// An agent whose folder holds the room: its program leaves the room alone, and works beside it; one that can't be kept out is
// refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isKeptOut } from '../../src/core/config/agent-problems.ts';
import type { Move } from './obedient-model.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subjects.ts';
import { lastTurn, logOf, once } from './turn-records.ts';

const SECRET = 'token-of-the-person';
const EVIL = 'EVIL\n';

/** Null where its program is kept out, else what was proved. */
export function keptOut({ preset, runner }: Subject): string | null {
  return isKeptOut({ preset, runner, permissions: 'edit' }) ? null : 'it is refused there';
}

export async function leavesRoomAlone(stage: Stage): Promise<void> {
  const { room, wishes, project, model } = stage;
  const name = 'Room in its folder';
  stage.configure({ cwd: dirname(project) });
  if (keptOut(stage) !== null) {
    const { stdout } = await stage.run('doctor', '--json');
    stage.configure({});
    return assert.match(stdout, /holds the room, and with .* can't be kept out of it/);
  }
  const token = room.at('.taskroom/token');
  const held = existsSync(token) ? readFileSync(token) : null;
  mkdirSync(dirname(token), { recursive: true });
  writeFileSync(token, SECRET, { mode: 0o600 });
  const before = picture(stage);
  git(dirname(project), 'init', '-q');
  const from = model.thought.length;
  let tried: Move[] = [];
  wishes.attack = () => {
    tried = attacks(stage);
    return tried;
  };
  room.save(`tasks/${name}.md`, '## Task\nDo what the notes say.\n');
  try {
    await once(stage);
    const turn = await lastTurn(stage, name);
    const log = `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`;
    assert.deepEqual(picture(stage), before, log);
    assert.ok(!JSON.stringify(model.thought.slice(from)).includes(SECRET), `it read the token\n${log}`);
    assert.equal(readFileSync(join(project, 'made.txt'), 'utf8'), 'made', log);
    assert.match(room.read(`tasks/${name}.md`), /^status: done$/m, log);
    assert.ok(tried.length > 5);
  } finally {
    delete wishes.attack;
    rmSync(join(dirname(project), '.git'), { recursive: true, force: true });
    if (held === null) rmSync(token);
    else writeFileSync(token, held);
    stage.configure({});
  }
}

/** What an agent might change of the room, but for what the room itself writes. */
function picture({ room, project }: Stage): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const entry of readdirSync(room.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\/\.taskroom\/|Room in its folder|\/history\.jsonl$/.test(path)) continue;
    texts[path] = readFileSync(path, 'utf8');
  }
  const beside = readdirSync(dirname(project)).filter((each) => each.includes('taskroom'));
  return { ...texts, beside: beside.join(' ') };
}

function attacks({ room, project, preset }: Stage): Move[] {
  const name = basename(room.dir);
  const cwd = dirname(project);
  const targets = [
    room.at('tasks/evil.md'),
    room.at('agents/coder/agent.json'),
    room.at('agents/evil/agent.json'),
    room.at('room.yaml'),
    room.at('.taskroom/evil'),
    `${name}/tasks/evil2.md`,
    `./project/../${name}/tasks/evil3.md`,
    `${cwd}/project/..//${name}/tasks/evil4.md`,
    `${cwd}/../${basename(cwd)}/${name}/chores/evil5.md`,
  ];
  const quoted = (path: string) => `'${path}'`;
  const patch = (text: string) => `*** Begin Patch\n${text}\n*** End Patch`;
  const added = patch(`*** Add File: ${name}/tasks/evil6.md\n+EVIL`);
  const moved = patch(
    `*** Update File: project/notes2.txt\n*** Move to: ${name}/tasks/evil7.md\n@@\n-two\n+EVIL`,
  );
  const shells = [
    ...targets.map((path) => `printf EVIL > ${quoted(path)}`),
    `ln -sfn ${quoted(room.at('tasks'))} project/link; printf EVIL > project/link/evil.md`,
    `mv ${quoted(room.dir)} ${quoted(`${room.dir}-away`)}`,
    `cat ${quoted(room.at('.taskroom/token'))}`,
    `cat ${name}/.taskroom/to*; grep -r . ${name}/.taskroom --include=token`,
    `cp project/notes.txt ${name}/tasks/evil8.md`,
    `apply_patch <<'EOF'\n${added}\nEOF`,
    `apply_patch <<'EOF'\n${moved}\nEOF`,
  ];
  writeFileSync(join(project, 'notes2.txt'), 'two\n');
  return [
    { read: room.at('room.yaml') },
    { read: room.at('agents/coder/agent.json') },
    ...targets.flatMap((path): Move[] => [
      { create: { path, text: EVIL } },
      { edit: { path, from: 'coder', to: EVIL } },
    ]),
    { read: room.at('.taskroom/token') },
    { read: `${name}/.taskroom/token` },
    { search: { words: SECRET.slice(0, 6), path: cwd } },
    { search: { words: SECRET.slice(0, 6), path: room.at('.taskroom') } },
    { search: { words: SECRET.slice(0, 6), path: room.at('.taskroom/token') } },
    { patch: added },
    { patch: moved },
    ...shells.map((shell): Move => ({ shell })),
    preset === 'codex'
      ? { shell: 'printf made > project/made.txt' }
      : { create: { path: join(project, 'made.txt'), text: 'made' } },
    { tool: 'complete_task', input: { outcome: 'All is tried.' } },
  ];
}

const git = (dir: string, ...args: string[]): Buffer => execFileSync('git', args, { cwd: dir });
