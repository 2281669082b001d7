// `taskroom run`: asks for a turn on a task now, or lets held tasks go.

import type { RoomClient } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { sleep } from '../../effects.ts';
import type { OutputOf } from '../../operations/client.ts';
import type { TaskDetail } from '../../tasks/shapes/task.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import { type Call, type CommandModule, TASK } from '../command.ts';
import { OK, TURN_FAILED } from '../exit-codes.ts';
import { refuseInsideTurn, taskOf } from '../invocation/changes.ts';
import { followOutput, POLL_MS } from '../invocation/follow-output.ts';
import { cleanLine, cleanText } from '../lines/display-text.ts';
import { turnEnd } from '../lines/turn-lines.ts';

// The turn that somebody asked for and waits for: found when it starts, or when it has ended.
// A daemon starts an asked turn within moments; when it neither waits nor runs for this long, it never will.
const LOST_AFTER_MS = 15_000;
const RECENT = 20;
const ASKED: ReadonlySet<string> = new Set(['run', 'run_forced', 'chat']);

/** Refuses to wait where nothing runs the room, and inside a turn. @throws RoomError `unavailable`, `not_allowed` */
function assertDaemonRuns(runtime: RoomClient): void {
  refuseInsideTurn(runtime, 'wait for turns of');
  if (!isStopped(runtime)) return;
  throw new RoomError('unavailable', 'nothing runs this room, so there is no turn to wait for', {
    hint: 'start it first: taskroom up; or run all that is due: taskroom once',
  });
}

/** A daemon elsewhere that stopped answers nothing. */
const isStopped = ({ here }: RoomClient): boolean => here !== null && here.standing().holder === null;

/** Ids of the newest turns of a task: what is asked for next is none of them. */
async function turnsBefore(runtime: RoomClient, ref: string): Promise<ReadonlySet<string>> {
  return new Set((await recentTurns(runtime, ref)).map(({ id }) => id));
}

async function recentTurns({ tasks, caller }: RoomClient, task: string): Promise<readonly TurnJson[]> {
  return (await tasks.call('listTurns', { task, pending: false, limit: RECENT }, caller, true)).turns;
}

/**
 * The turn of task `id` that was asked for after `before` was taken.
 * @param isReady whether to wait on
 * @throws RoomError `unavailable`, `refused` when it does not run now
 */
async function nextTurn(
  { effects }: Call,
  runtime: RoomClient,
  id: string,
  before: ReadonlySet<string>,
  isReady: (turn: TurnJson) => boolean,
): Promise<TurnJson> {
  let lostAt = effects.monotonicMs() + LOST_AFTER_MS;
  for (;;) {
    const recent = await recentTurns(runtime, id);
    // A turn that something else asked for may come first.
    const turn = recent.findLast(
      (each) => !before.has(each.id) && each.reasons.some((reason) => ASKED.has(reason)),
    );
    if (turn && isReady(turn)) return turn;
    const { pending, why_not: whyNot } = await runtime.tasks.call('show', { ref: id }, runtime.caller, true);
    if (pending && whyNot?.reason === 'budget')
      throw new RoomError('refused', `it does not run now: ${whyNot.text}`, { hint: whyNot.hint ?? '' });
    if (pending || recent[0]?.state === 'running') lostAt = effects.monotonicMs() + LOST_AFTER_MS;
    if (isStopped(runtime))
      throw new RoomError('unavailable', 'the daemon stopped before the turn ended', {
        hint: 'start it again: taskroom up',
      });
    if (effects.monotonicMs() > lostAt)
      throw new RoomError('unavailable', 'the daemon did not start the turn', {
        hint: 'see why: taskroom status',
      });
    await sleep(effects, POLL_MS);
  }
}

export const command: CommandModule = {
  about: 'Asks for a turn on a task now, though nothing changed in it and though earlier attempts failed.',
  arguments: [TASK],
  options: [
    { flags: '--force', about: 'also when the task is paused, blocked or a draft' },
    { flags: '--wait', about: 'wait for the end of the turn; exit code 1 when it fails' },
    {
      flags: '-f, --follow',
      about:
        'show the output of the turn until it ends; on a terminal, what it asks is asked you, and it goes on',
    },
    { flags: '--all', about: 'release every held task instead' },
  ],
  examples: [
    ['taskroom run 3npr --wait && echo fine', 'and wait for how it ends'],
    ['taskroom run "Fix the build" --follow', 'sit beside it: its output, and its questions'],
    ['taskroom run --all', 'release tasks held after a mass edit'],
  ],
  notes:
    'With --json: {"id","name","daemon","after"}, after being the turn that runs now and comes first, or null; with --wait or --follow the turn as in turns, once it has ended; with --all: {"released","daemon"}.\nA turn that is followed is of origin chat: it starts before those of tasks and chores, within limits.chat.\nWithout a daemon the turn is noted, and runs with the next taskroom up or once.',
  async run(call) {
    const runtime = await call.openRoom();
    if (call.options.flag('all')) return releaseAll(call, runtime);
    const ref = taskOf(call);
    const actor = runtime.caller;
    const wait = call.options.flag('wait');
    const force = call.options.flag('force');
    if (wait || call.options.flag('follow')) assertDaemonRuns(runtime);
    if (call.options.flag('follow')) return follow(call, runtime, ref, force);
    const before = wait ? await turnsBefore(runtime, ref) : new Set<string>();
    const asked = await runtime.tasks.call('run', { ref, force }, actor, true);
    if (wait) return waitForTurn(call, runtime, asked.id, before);
    const { why_not: whyNot } = await runtime.tasks.call('show', { ref: asked.id }, runtime.caller, true);
    const waits = whyNot?.reason === 'budget' ? `waits: ${whyNot.text}; ${whyNot.hint}` : null;
    if (call.json) call.terminal.write(`${JSON.stringify(asked)}\n`);
    else
      call.terminal.write(
        `${call.paint('green', '✓')} ${cleanLine(asked.name)} ${call.paint('dim', asked.id)} ${waits ?? said(asked)}\n`,
      );
    return OK;
  },
};

async function follow(call: Call, runtime: RoomClient, ref: string, force: boolean): Promise<number> {
  const turn = await followTask(call, runtime, ref, { force });
  if (call.json) call.terminal.write(`${JSON.stringify(turn)}\n`);
  return turn.state === 'completed' ? OK : TURN_FAILED;
}

function said({ daemon, after }: OutputOf<'run'>): string {
  if (after) return `gets one more turn after this one: ${after} runs now`;
  return daemon ? 'gets a turn' : 'gets a turn with the next taskroom up or taskroom once';
}

async function releaseAll({ json, terminal, paint }: Call, runtime: RoomClient): Promise<number> {
  refuseInsideTurn(runtime, 'release the held tasks of');
  const { released, daemon } = await runtime.tasks.call('release', {}, runtime.caller, true);
  const tasks = `${released} task${released === 1 ? '' : 's'}`;
  if (json) terminal.write(`${JSON.stringify({ released, daemon })}\n`);
  else if (released === 0) terminal.write(`${paint('dim', 'no task is held')}\n`);
  else
    terminal.write(
      `${paint('green', '✓')} ${tasks} released${daemon ? '' : '; the next taskroom up or once runs them'}\n`,
    );
  return OK;
}

async function waitForTurn(
  call: Call,
  runtime: RoomClient,
  id: string,
  before: ReadonlySet<string>,
): Promise<number> {
  const turn = await nextTurn(call, runtime, id, before, ({ state }) => state !== 'running');
  if (call.json) call.terminal.write(`${JSON.stringify(turn)}\n`);
  else {
    const sign = turn.state === 'completed' ? call.paint('green', '✓') : call.paint('red', '✗');
    call.terminal.write(
      `${sign} ${cleanLine(turn.description)} ${call.paint('dim', turn.id)} ${turnEnd(turn)} ${cleanLine(turn.message ?? '')}`
        .trimEnd()
        .concat('\n'),
    );
  }
  return turn.state === 'completed' ? OK : TURN_FAILED;
}

// A person at a terminal who waits for a task's turns: their output as text, and when one ends with a question the person's
// answer, with which the next one goes on.

/**
 * Follows turns of a task until one ends without a question that is answered here; returns the last.
 * @throws RoomError as `run`: also for a task that waits for an answer nobody gives here
 */
async function followTask(
  call: Call,
  runtime: RoomClient,
  ref: string,
  options: { force: boolean },
): Promise<TurnJson> {
  let given = options.force ? [] : await answersHere(call, runtime, ref);
  // It says why it stands still, and how to answer.
  if (given === null) await runtime.tasks.call('run', { ref, ...options }, runtime.caller);
  let turn = await followOne(call, runtime, ref, { ...options, answers: given ?? [] });
  for (;;) {
    given = await answersHere(call, runtime, ref);
    if (given === null || given.length === 0) return turn;
    turn = await followOne(call, runtime, ref, { force: false, answers: given });
  }
}

interface Given {
  question: string;
  text: string;
}

async function followOne(
  call: Call,
  runtime: RoomClient,
  ref: string,
  { force, answers }: { force: boolean; answers: readonly Given[] },
): Promise<TurnJson> {
  const { tasks, caller } = runtime;
  const before = await turnsBefore(runtime, ref);
  // Asked for before it is answered: the answer starts the turn at once, and it is to be this one.
  const asked = await tasks.call('run', { ref, force, chat: true }, caller, true);
  for (const { question, text } of answers) await tasks.call('answer', { ref, text, question }, caller);
  if (call.json) return nextTurn(call, runtime, asked.id, before, ({ state }) => state !== 'running');
  const started = await nextTurn(call, runtime, asked.id, before, () => true);
  const { terminal, paint } = call;
  terminal.write(
    `${paint('cyan', '▸')} ${cleanLine(started.description)} ${paint('dim', `${started.id}, ${started.agent}`)}\n`,
  );
  const following = { offset: 0, deadline: Number.POSITIVE_INFINITY, raw: false };
  const { turn } = await followOutput(call, runtime, started, following);
  const sign = turn.state === 'completed' ? paint('green', '✓') : paint('red', '✗');
  const said = `${turnEnd(turn)} ${cleanLine(turn.message ?? '')}`.trimEnd();
  terminal.write(`${sign} ${paint('dim', turn.id)} ${said}\n`);
  return turn;
}

/** What the person answers to all that the task asks; empty where it asks nothing, null when an answer is left for later. */
async function answersHere(call: Call, runtime: RoomClient, ref: string): Promise<Given[] | null> {
  const detail = await runtime.tasks.call('show', { ref }, runtime.caller, true);
  if (!detail.waiting) return [];
  if (call.json) return null;
  const given: Given[] = [];
  for (const question of detail.questions.filter(({ answers }) => answers.length === 0)) {
    const text = await answerOf(call, question);
    if (text === null) {
      tellLater(call, detail);
      return null;
    }
    given.push({ question: question.key, text });
  }
  return given;
}

async function answerOf(
  { terminal, paint }: Call,
  { author, text }: TaskDetail['questions'][number],
): Promise<string | null> {
  terminal.write(
    `${paint('yellow', '?')} ${paint('bold', cleanLine(author.replace(/^agent:/, '')))} asks:\n${cleanText(text)}\n`,
  );
  const answer = await terminal.ask('> ');
  return answer === null || answer.trim() === '' ? null : answer;
}

function tellLater({ terminal, paint }: Call, { id, name }: TaskDetail): void {
  const command = `taskroom answer ${id ?? JSON.stringify(name)} 'your answer'`;
  terminal.write(`${paint('dim', `it waits for the answer: ${command}`)}\n`);
}
