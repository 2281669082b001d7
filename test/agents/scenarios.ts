// What every preset must stand, with the real program: work to the end with its report upstream, a second turn in the same
// session, an agent that writes nothing, a usage limit, a wrong key. A scenario throws, or it is proved.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFenced } from './fence-scenarios.ts';
import {
  leavesGitAlone,
  missesTools,
  takesNoConfiguration,
  takesWhatRuns,
  tellsOfTools,
  waitsForTools,
} from './fences.ts';
import { asksByForm, asksItsPerson, hearsItsPerson, isStopped, takesNoWords } from './person-scenarios.ts';
import { mendsItsPull } from './pull-scenarios.ts';
import { hasNoAccount, isCutOff, isRefused, meetsOverload, waitsForAccount } from './refusal-scenarios.ts';
import { keptOut, leavesRoomAlone } from './room-scenarios.ts';
import type { Stage } from './stage.ts';
import { labelOf, type Subject, type Way } from './subjects.ts';
import { lastTurn, logOf, ok, once, promptsSince, resultOf, untilResumable } from './turn-records.ts';

export interface Scenario {
  name: string;
  prove(stage: Stage): Promise<void>;
  /** The one way it is for; absent for both. */
  of?: Way;
  /** It makes the one finished task, or goes on with it: these go on one stage. */
  onNote?: true;
  /** What was proved of a program that can do less; null for the whole. */
  lesser?(subject: Subject): string | null;
  /** Why it is not for an agent on a worker; absent where it is. */
  besideAlone?: string;
}

/** Programs that say in their stream how many tokens they used. */
const TELLS_USAGE: ReadonlySet<string> = new Set([
  ...['claude', 'codex', 'gemini', 'opencode'],
  ...['claude:acp', 'codex:acp', 'gemini:acp', 'opencode:acp', 'copilot:acp'],
]);
/** Those that tell of their last request to the model alone. */
const TELLS_LAST: ReadonlySet<string> = new Set(['opencode:acp']);
/** Programs that say when a limit ends. */
const TELLS_RESET: ReadonlySet<string> = new Set(['claude', 'codex', 'gemini']);

const HOUR = 3_600_000;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'doctor finds nothing to mend',
    prove: isWell,
    besideAlone: 'the host has no programs to look at; a worker says at its start what it can not run',
  },
  { name: 'finishes a task by its tools alone', onNote: true, prove: finishesByTools },
  { name: 'finishes a task by commands', of: 'command', prove: finishesByCommands },
  { name: 'closes an issue', prove: closesIssue },
  { name: 'resumes its session', onNote: true, prove: resumes },
  { name: 'tells what it used', onNote: true, prove: tellsUsage, lesser: usageOf },
  { name: 'is read by people', onNote: true, prove: isReadable },
  ...(['edit', 'run'] as const).map((permissions) => ({
    name: `writes no program that anybody runs, with ${permissions}`,
    prove: (stage: Stage) => isFenced(stage, permissions),
    besideAlone: 'tried beside the room',
  })),
  {
    name: 'leaves a room in its folder alone',
    prove: leavesRoomAlone,
    lesser: keptOut,
    besideAlone: 'a worker has no room',
  },
  { name: 'may not commit with edit', prove: (stage) => commits(stage, 'edit', false) },
  { name: 'commits with run', prove: (stage) => commits(stage, 'run', true) },
  { name: 'commits with all', prove: (stage) => commits(stage, 'all', true) },
  {
    name: 'takes no configuration from its folder with edit',
    prove: (stage) => takesNoConfiguration(stage, 'edit'),
  },
  {
    name: 'takes no configuration from its folder with run',
    prove: (stage) => takesNoConfiguration(stage, 'run'),
    lesser: takesWhatRuns,
  },
  { name: 'leaves git alone with edit', prove: leavesGitAlone },
  { name: 'waits for its tools', prove: waitsForTools },
  { name: 'says that it has no tools', prove: missesTools, lesser: tellsOfTools },
  { name: 'asks its person', of: 'acp', prove: asksItsPerson },
  {
    name: 'asks its person by a form',
    of: 'acp',
    prove: asksByForm,
    lesser: (subject) => (labelOf(subject) === 'claude:acp' ? null : 'it has no such tool'),
  },
  {
    name: 'mends a review and a failed check of its pull request',
    prove: mendsItsPull,
    besideAlone: 'tried beside the room',
  },
  { name: 'hears its person', of: 'acp', prove: hearsItsPerson, lesser: takesNoWords },
  { name: 'is stopped', prove: isStopped },
  { name: 'writes nothing', prove: writesNothing },
  ...(['length', 'content_filter'] as const).map((cutBy) => ({
    name: cutBy === 'length' ? 'is cut off by its token limit' : 'is cut off by a filter',
    prove: (stage: Stage) => isCutOff(stage, cutBy),
    lesser: ({ preset }: Subject) => (preset === 'codex' ? 'not tried' : null),
  })),
  { name: 'wrong key', prove: (stage) => waitsForAccount(stage, 'wrong key', /can not sign in: /) },
  { name: 'no account', prove: hasNoAccount },
  { name: 'unknown model', prove: (stage) => isRefused(stage, 'unknown model', /can not use its model: /) },
  { name: 'wrong country', prove: (stage) => waitsForAccount(stage, 'wrong country', /can not sign in: /) },
  { name: 'overloaded', prove: meetsOverload },
  { name: 'starts afresh when full', onNote: true, prove: startsAfresh },
  { name: 'no network', prove: meetsNoNetwork },
  {
    name: 'no money',
    prove: (stage) => waitsForAccount(stage, 'no money', /has nothing left to pay with: /),
  },
  // Last: until it is over the agent starts nothing more.
  {
    name: 'usage limit',
    prove: meetsLimit,
    lesser: (subject) => (TELLS_RESET.has(labelOf(subject)) ? null : 'yes, without its end'),
  },
];

const NOTE = 'A note';

async function finishesByTools(stage: Stage): Promise<void> {
  await finishes(stage, NOTE, true);
  const called = stage.model.thought.flatMap(({ messages }) =>
    messages.map((one) => JSON.stringify(one.tool_calls ?? [])),
  );
  assert.ok(
    called.some((calls) => calls.includes('complete_task')),
    'its tools did not reach the model',
  );
}

async function finishesByCommands(stage: Stage): Promise<void> {
  const name = 'By commands';
  stage.configure({ tools: 'commands', permissions: 'run' });
  await finishes(stage, name, false);
  stage.configure({});
  const { id } = await lastTurn(stage, name);
  // By a heredoc.
  assert.match(stage.room.read(`tasks/${name}.md`), /What is finished, found or decided\./, logOf(stage, id));
}

async function finishes(stage: Stage, name: string, byTools: boolean): Promise<void> {
  const { room, project } = stage;
  writeFileSync(join(project, 'notes.txt'), 'one\n');
  room.save(`tasks/${name}.md`, `## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n`);
  await once(stage);
  const text = room.read(`tasks/${name}.md`);
  const turn = await lastTurn(stage, name);
  assert.equal(turn.state, 'completed', `the turn: ${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  assert.match(text, /^status: done$/m);
  assert.match(text, /- \[x\] Change it/);
  assert.match(text, /Looked at it: "two" causes & no risks\./);
  assert.match(text, /Then the rest\./, logOf(stage, turn.id));
  assert.match(text, /The file says so now\./);
  const seen = JSON.stringify(stage.model.thought.at(-1)?.messages);
  assert.match(seen, byTools ? /Change notes\.txt/ : /task_services/, 'the context was not read');
  assert.equal(readFileSync(join(project, 'notes.txt'), 'utf8').trim(), 'changed by an agent');
}

async function closesIssue(stage: Stage): Promise<void> {
  const { room } = stage;
  const number = stage.issue('Login fails', 'It fails since May.');
  await ok(stage, 'sync');
  const name = `Login fails (web#${number})`;
  await ok(stage, 'step', name, '--add', 'Look into it');
  await once(stage);
  assert.match(room.read(`tasks/${name}.md`), /^status: done$/m);
  const issue = stage.repo.issues.find((one) => one.number === number)!;
  assert.equal(issue.state, 'closed');
  const said = JSON.stringify([...stage.github.served].map(({ body }) => body));
  assert.match(said, /The file says so now\./);
}

async function resumes(stage: Stage): Promise<void> {
  await ok(stage, 'reopen', NOTE);
  await ok(stage, 'comment', NOTE, 'Look again, please.');
  await untilResumable(stage);
  const from = stage.model.thought.length;
  await once(stage);
  const turn = await lastTurn(stage, NOTE);
  assert.equal(turn.state, 'completed', logOf(stage, turn.id));
  assert.ok(promptsSince(stage, from) >= 2, 'the first turn is not part of the conversation');
}

async function tellsUsage(stage: Stage): Promise<void> {
  const { usage } = await lastTurn(stage, NOTE);
  if (!TELLS_USAGE.has(labelOf(stage))) return assert.equal(usage, null);
  const least = TELLS_LAST.has(labelOf(stage)) ? 1 : 5;
  assert.ok(
    usage !== null && usage.input_tokens >= least * 1_000 && usage.output_tokens >= least * 10,
    JSON.stringify(usage),
  );
}

function usageOf(subject: Subject): string | null {
  if (TELLS_LAST.has(labelOf(subject))) return 'of its last answer';
  return TELLS_USAGE.has(labelOf(subject)) ? null : 'it tells nothing';
}

async function isReadable(stage: Stage): Promise<void> {
  const text = await ok(stage, 'log', NOTE);
  assert.match(text, /The work is done\./);
  assert.match(text, /progress.{1,6}Looked at it/);
  assert.doesNotMatch(text, /"type":/);
}

async function writesNothing(stage: Stage): Promise<void> {
  stage.wishes.givesUp = true;
  stage.room.save('tasks/Silent.md', '## Task\nDo nothing.\n');
  await once(stage);
  stage.wishes.givesUp = false;
  const turn = await lastTurn(stage, 'Silent');
  assert.equal(turn.reason, 'nothing_written', logOf(stage, turn.id));
}

async function meetsLimit(stage: Stage): Promise<void> {
  const { model, room, account } = stage;
  model.resetsAt = Math.ceil(Date.now() / HOUR + 2) * HOUR;
  model.mood = 'usage limit';
  // Limits that name their end are those of a subscription.
  stage.account = stage.preset === 'claude' ? subscribed(account) : account;
  room.save('tasks/Limited.md', '## Task\nWait.\n');
  await once(stage);
  model.mood = 'works';
  stage.account = account;
  const turn = await lastTurn(stage, 'Limited');
  assert.equal(turn.reason, 'rate_limited', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  const { until } = resultOf(stage, turn.id);
  if (!TELLS_RESET.has(labelOf(stage))) return;
  assert.ok(Math.abs(until - model.resetsAt) <= 90_000, `until ${until}, resets at ${model.resetsAt}`);
  await ok(stage, 'cancel', 'Limited');
}

function subscribed(account: Record<string, string>): Record<string, string> {
  const { ANTHROPIC_API_KEY: _, ...rest } = account;
  return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-0123456789abcdef' };
}

async function isWell(stage: Stage): Promise<void> {
  const { checks } = JSON.parse((await stage.run('doctor', '--json')).stdout) as {
    checks: { name: string; state: string; text: string }[];
  };
  const odd = checks.filter(({ name, state }) => name === 'agents' && state !== 'ok');
  assert.deepEqual(odd, []);
  assert.ok(checks.some(({ text }) => text.includes(stage.project)));
}

async function commits(stage: Stage, permissions: string, may: boolean): Promise<void> {
  const { room, wishes, project } = stage;
  const name = `Commit with ${permissions}`;
  const count = () => Number(git(project, 'rev-list', '--count', 'HEAD'));
  const before = count();
  stage.configure({ permissions });
  wishes.commands = ['git -c user.name=Agent -c user.email=agent@example.org commit --allow-empty -m work'];
  room.save(`tasks/${name}.md`, '## Task\nCommit.\n');
  await once(stage);
  wishes.commands = [];
  stage.configure({});
  const turn = await lastTurn(stage, name);
  assert.equal(count() - before, may ? 1 : 0, logOf(stage, turn.id));
  assert.match(room.read(`tasks/${name}.md`), /^status: done$/m, logOf(stage, turn.id));
}

function git(project: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8' });
}

async function startsAfresh(stage: Stage): Promise<void> {
  stage.model.mood = 'context full';
  await ok(stage, 'reopen', NOTE);
  await once(stage);
  stage.model.mood = 'works';
  const full = await lastTurn(stage, NOTE);
  assert.equal(full.state, 'failed', logOf(stage, full.id));
  assert.match(full.message, /has no room left in its context: /);
  const from = stage.model.thought.length;
  await ok(stage, 'resume', NOTE);
  await once(stage);
  const turn = await lastTurn(stage, NOTE);
  assert.equal(turn.state, 'completed', logOf(stage, turn.id));
  assert.equal(promptsSince(stage, from), 1);
}

async function meetsNoNetwork(stage: Stage): Promise<void> {
  stage.room.save('tasks/Offline.md', '## Task\nTry.\n');
  await stage.model.setOnline(false);
  await once(stage);
  await stage.model.setOnline(true);
  const turn = await lastTurn(stage, 'Offline');
  assert.equal(turn.state, 'failed', logOf(stage, turn.id));
  assert.match(turn.message, /does not reach its provider: /, logOf(stage, turn.id));
}
