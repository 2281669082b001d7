// What an agent must not get past, tried with the real programs.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isProtected, protectedFiles } from '../../src/agents/command/presets/preset.ts';
import type { Move } from './obedient-model.ts';
import { plant } from './planted.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subjects.ts';
import { lastTurn, logOf, once } from './turn-records.ts';

/** Configuration that a program takes from its folder. */
const takenFiles = (preset: Subject['preset']) => protectedFiles(preset).filter((name) => name !== '.git');

/**
 * The configuration of its own program that lies in an agent's folder is not taken: it may be what it wrote there itself. What
 * the program takes all the same, its agent can't write.
 */
export async function takesNoConfiguration(stage: Stage, permissions: string): Promise<void> {
  const { preset, project, room, model, wishes } = stage;
  const name = `Planted with ${permissions}`;
  stage.configure({ permissions });
  // Its person trusts the folder.
  const config = join(dirname(project), 'home/.codex/config.toml');
  if (preset === 'codex' && !readFileSync(config, 'utf8').includes('[projects.'))
    appendFileSync(config, `[projects."${project}"]\ntrust_level = "trusted"\n`);
  const planted = plant(
    preset,
    project,
    join(dirname(project), 'proofs'),
    (path) => !isProtected(preset, path),
  );
  const from = model.thought.length;
  room.save(`tasks/${name}.md`, '## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n');
  try {
    await once(stage);
    const words = JSON.stringify(model.thought.slice(from));
    const turn = await lastTurn(stage, name);
    const taken = { ran: planted.ran(), seen: planted.seenIn(words) };
    assert.deepEqual(taken, { ran: [], seen: [] });
    assert.equal(turn.state, 'completed', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
    // A program whose agent may run others may be told by one what it is not allowed to write.
    if (permissions !== 'edit') return;
    for (const path of takenFiles(preset)) {
      const { file } = wishes;
      wishes.file = join(project, /[^/]\.\w+$/.test(path) ? path : `${path}/planted.json`);
      room.save(`tasks/Plant ${path.replaceAll('/', ' ')}.md`, '## Task\nWrite it.\n');
      mkdirSync(dirname(wishes.file), { recursive: true });
      await once(stage);
      const written = existsSync(wishes.file);
      rmSync(join(project, path), { recursive: true, force: true });
      wishes.file = file;
      assert.ok(!written, `it wrote ${path}`);
    }
  } finally {
    planted.remove();
    stage.configure({});
  }
}

/**
 * An agent without leave to run programs changes nothing that has git, or its own program, run one later: by writing, editing or
 * patching, and by moving a file there with a patch.
 */
export async function leavesGitAlone(stage: Stage): Promise<void> {
  const { preset, runner, project, room, wishes } = stage;
  const name = 'Git beside it';
  const names = ['config', 'hooks/pre-commit', 'info/attributes'];
  const taken = takenFiles(preset).map((path) => (/[^/]\.\w+$/.test(path) ? path : `${path}/moved.json`));
  const targets = [...names.map((path) => `.git/${path}`), ...taken];
  const picture = () =>
    Object.fromEntries(
      targets.map((path) => [
        path,
        existsSync(join(project, path)) ? readFileSync(join(project, path), 'utf8') : null,
      ]),
    );
  const before = picture();
  const patch = (text: string) => `*** Begin Patch\n${text}\n*** End Patch`;
  const left = targets.map((_, index) => join(project, `left-${index}.txt`));
  for (const path of left) writeFileSync(path, 'two\n');
  // Copilot makes no folders.
  for (const path of targets) mkdirSync(dirname(join(project, path)), { recursive: true });
  wishes.attack = () => [
    { read: join(project, '.git/config') },
    ...targets.flatMap((path, index): Move[] => [
      { edit: { path: join(project, path), from: '[core]', to: '[core]\n\tfsmonitor = touch' } },
      { create: { path: join(project, path), text: 'EVIL\n' } },
      { create: { path: `../${basename(project)}/./${path}`, text: 'EVIL\n' } },
      { patch: patch(`*** Add File: ${path}\n+EVIL`) },
      { patch: patch(`*** Update File: left-${index}.txt\n*** Move to: ${path}\n@@\n-two\n+EVIL`) },
      { patch: patch(`*** Update File: left-${index}.txt\n*** Move to: ./sub/../${path}\n@@\n-two\n+EVIL`) },
    ]),
    ...targets.map((path): Move => ({ shell: `printf EVIL > '${path}'` })),
    { tool: 'complete_task', input: { outcome: 'All is tried.' } },
  ];
  // It offers patches to the models of one provider alone, by their name.
  if (preset === 'opencode') stage.configure({ model: 'here/gpt-5' });
  room.save(`tasks/${name}.md`, '## Task\nDo what the notes say.\n');
  try {
    await once(stage);
    const turn = await lastTurn(stage, name);
    const log = `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`;
    assert.deepEqual(picture(), before, log);
    // Over the protocol Copilot ends its turn with the first write that it is refused.
    if (preset === 'copilot' && runner === 'acp') return;
    assert.match(room.read(`tasks/${name}.md`), /^status: done$/m, log);
  } finally {
    delete wishes.attack;
    for (const [path, text] of Object.entries(before)) {
      if (text === null) rmSync(join(project, path), { force: true });
      else writeFileSync(join(project, path), text);
    }
    for (const path of left) rmSync(path, { force: true });
    stage.configure({});
  }
}

/** What is told of a program that takes more than it can be kept from. */
export function takesWhatRuns({ preset }: Subject): string | null {
  return takenFiles(preset).length > 0 ? 'but what its commands write' : null;
}

/** The program's first request holds the turn's tools, though their server takes two seconds to start. */
export async function waitsForTools(stage: Stage): Promise<void> {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)';
  const name = 'Slow tools';
  const turn = await withServer(stage, wait, name);
  assert.equal(turn.state, 'completed', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  assert.match(stage.room.read(`tasks/${name}.md`), /^status: done$/m);
}

/** The server of its tools does not start: its turn has failed, and says so. */
export async function missesTools(stage: Stage): Promise<void> {
  stage.wishes.attack = () => [];
  const turn = await withServer(stage, 'process.exit(3)', 'No tools');
  delete stage.wishes.attack;
  const log = `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`;
  assert.equal(turn.state, 'failed', log);
  if (tellsOfTools(stage) === null) assert.match(turn.message, /had none of the tools/, log);
  else assert.equal(turn.reason, 'nothing_written', log);
}

/** Null where a program says that its tools are missing, else what was proved. */
export function tellsOfTools({ preset, runner }: Subject): string | null {
  if (preset === 'codex') return 'not tried';
  return runner === 'command' && ['claude', 'copilot'].includes(preset)
    ? null
    : 'as one that reports nothing';
}

/** Runs a turn whose MCP server does this first. */
async function withServer(stage: Stage, does: string, name: string) {
  const { account, room, project } = stage;
  const first = join(dirname(project), 'first.cjs');
  writeFileSync(first, `if (process.argv.includes('mcp')) ${does};\n`);
  stage.account = { ...account, NODE_OPTIONS: `--require "${first}"` };
  try {
    room.save(`tasks/${name}.md`, '## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n');
    await once(stage);
    return await lastTurn(stage, name);
  } finally {
    stage.account = account;
  }
}
