// `taskroom run`: asks for a turn on a task now, or releases held tasks.
import type { RoomClient } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { sleep } from '../../effects.ts';
import type { InputOf, OutputOf } from '../../operations/client.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import { type Call, type CommandModule, TASK } from '../command.ts';
import { OK, TURN_FAILED } from '../exit-codes.ts';
import { refuseInsideTurn, taskOf } from '../invocation/changes.ts';
import { followOutput, POLL_MS } from '../invocation/follow-output.ts';
import { cleanLine, cleanText, plural } from '../lines/display-text.ts';
import { turnEnd } from '../lines/turn-lines.ts';

export const command: CommandModule = {
  about: 'Asks for a turn on a task now, though nothing changed in it and though earlier attempts failed.',
  arguments: [TASK],
  options: [
    ['--force', 'also when the task is paused, blocked or a draft'],
    ['--wait', 'wait for the end of the turn; exit code 1 when it fails'],
    [
      '-f, --follow',
      'show the output of the turn until it ends; on a terminal, what it asks is asked you, and it goes on',
    ],
    ['--all', 'release every held task instead'],
  ],
  examples: {
    'taskroom run 3npr --wait && echo fine': 'and wait for how it ends',
    'taskroom run "Fix the build" --follow': 'sit beside it: its output, and its questions',
    'taskroom run --all': 'release tasks held after a mass edit',
  },
  notes:
    'With --json: {"id","name","daemon","after"}, after being the turn that runs now and comes first, or null; with --wait or --follow the turn as in turns, once it has ended; with --all: {"released","daemon"}.\nA turn that is followed is of origin chat: it starts before those of tasks and chores, within limits.chat.\nWithout a daemon the turn is noted, and runs with the next taskroom up or once.',
  async run(call) {
    const { options } = call;
    const runtime = await call.openRoom();
    if (options.flag('all')) return releaseAll(call, runtime);
    const room = { call, runtime, ref: taskOf(call) };
    const [wait, follow, force] = [options.flag('wait'), options.flag('follow'), options.flag('force')];
    if (wait || follow) assertDaemonRuns(runtime);
    if (follow) return followTask(room, force);
    const before = wait ? await turnsBefore(room) : new Set<string>();
    const asked = await runtime.tasks.call('run', { ref: room.ref, force }, runtime.caller, true);
    if (!wait) return tellAsked(room, asked);
    const turn = await nextTurn(room, asked.id, before, isOver);
    if (!call.json) tellEnd(call, turn, `${cleanLine(turn.description)} ${call.paint('dim', turn.id)}`);
    return codeOf(call, turn);
  },
};

interface Run {
  call: Call;
  runtime: RoomClient;
  ref: string; // The task, in the person's word.
}

async function tellAsked({ call, runtime }: Run, asked: OutputOf<'run'>): Promise<number> {
  const { json, terminal, paint } = call;
  const { id, name, daemon, after } = asked;
  const { why_not: whyNot } = await runtime.tasks.call('show', { ref: id }, runtime.caller, true);
  if (json) terminal.write(`${JSON.stringify(asked)}\n`);
  else {
    const begins = daemon ? 'gets a turn' : 'gets a turn with the next taskroom up or taskroom once';
    const gets = after ? `gets one more turn after this one: ${after} runs now` : begins;
    const said = whyNot?.reason === 'budget' ? `waits: ${whyNot.text}; ${whyNot.hint}` : gets;
    terminal.write(`${paint('green', '✓')} ${cleanLine(name)} ${paint('dim', id)} ${said}\n`);
  }
  return OK;
}

async function releaseAll({ json, terminal, paint }: Call, runtime: RoomClient): Promise<number> {
  refuseInsideTurn(runtime, 'release the held tasks of');
  const answer = await runtime.tasks.call('release', {}, runtime.caller, true);
  const later = answer.daemon ? '' : '; the next taskroom up or once runs them';
  const said = `${paint('green', '✓')} ${plural(answer.released, 'task')} released${later}`;
  if (json) terminal.write(`${JSON.stringify(answer)}\n`);
  else terminal.write(`${answer.released === 0 ? paint('dim', 'no task is held') : said}\n`);
  return OK;
}

/** Prints the turn as JSON if asked for. Returns the exit code. */
function codeOf({ json, terminal }: Call, turn: TurnJson): number {
  if (json) terminal.write(`${JSON.stringify(turn)}\n`);
  return turn.state === 'completed' ? OK : TURN_FAILED;
}

function tellEnd({ terminal, paint }: Call, turn: TurnJson, what: string): void {
  const sign = turn.state === 'completed' ? paint('green', '✓') : paint('red', '✗');
  terminal.write(`${`${sign} ${what} ${turnEnd(turn)} ${cleanLine(turn.message ?? '')}`.trimEnd()}\n`);
}

// A daemon starts an asked turn within moments; one that neither waits nor runs for this long never starts.
const LOST_AFTER_MS = 15_000;
const RECENT = 20;
const ASKED: ReadonlySet<string> = new Set(['run', 'run_forced', 'chat']);

/** @throws RoomError `unavailable` when nothing runs the room, `not_allowed` inside a turn */
function assertDaemonRuns(runtime: RoomClient): void {
  refuseInsideTurn(runtime, 'wait for turns of');
  const hint = 'start it first: taskroom up; or run all that is due: taskroom once';
  if (isStopped(runtime))
    throw new RoomError('unavailable', 'nothing runs this room, so there is no turn to wait for', hint);
}

/** Of a room elsewhere, calls fail instead. */
const isStopped = ({ here }: RoomClient): boolean => here !== null && here.standing().holder === null;
const isOver = ({ state }: TurnJson): boolean => state !== 'running';

const recentTurns = async ({ tasks, caller }: RoomClient, task: string): Promise<readonly TurnJson[]> =>
  (await tasks.call('listTurns', { task, pending: false, limit: RECENT }, caller, true)).turns;

/** The newest turns, none of which is the one asked for next. */
const turnsBefore = async ({ runtime, ref }: Run): Promise<ReadonlySet<string>> =>
  new Set((await recentTurns(runtime, ref)).map(({ id }) => id));

/** Waits until the turn that was asked for is ready. @throws RoomError `unavailable`, `refused` when it does not run now */
async function nextTurn(
  { call: { effects }, runtime }: Run,
  id: string,
  before: ReadonlySet<string>,
  isReady: (turn: TurnJson) => boolean,
): Promise<TurnJson> {
  const unavailable = (message: string, hint: string) => new RoomError('unavailable', message, { hint });
  let lostAt = effects.monotonicMs() + LOST_AFTER_MS;
  for (;;) {
    const recent = await recentTurns(runtime, id);
    // A turn with another reason may come first.
    const isAsked = ({ reasons }: TurnJson) => reasons.some((reason) => ASKED.has(reason));
    const turn = recent.findLast((each) => !before.has(each.id) && isAsked(each));
    if (turn && isReady(turn)) return turn;
    const { pending, why_not: whyNot } = await runtime.tasks.call('show', { ref: id }, runtime.caller, true);
    if (pending && whyNot?.reason === 'budget')
      throw new RoomError('refused', `it does not run now: ${whyNot.text}`, { hint: whyNot.hint ?? '' });
    if (pending || recent[0]?.state === 'running') lostAt = effects.monotonicMs() + LOST_AFTER_MS;
    if (isStopped(runtime))
      throw unavailable('the daemon stopped before the turn ended', 'start it again: taskroom up');
    if (effects.monotonicMs() > lostAt)
      throw unavailable('the daemon did not start the turn', 'see why: taskroom status');
    await sleep(effects, POLL_MS);
  }
}

type Given = Pick<InputOf<'answer'>, 'question' | 'text'>;

/** Follows turns of the task, and asks the person its questions, until one is not answered. Returns the last exit code. */
async function followTask(room: Run, force: boolean): Promise<number> {
  const { call, runtime, ref } = room;
  let given = force ? [] : await answersHere(room);
  // Without an answer `run` refuses, and says how to answer.
  if (given === null) await runtime.tasks.call('run', { ref, force }, runtime.caller);
  for (let isForced = force; ; isForced = false) {
    const turn = await followOne(room, isForced, given ?? []);
    given = await answersHere(room);
    if (given === null || given.length === 0) return codeOf(call, turn);
  }
}

async function followOne(room: Run, force: boolean, answers: readonly Given[]): Promise<TurnJson> {
  const { call, runtime, ref } = room;
  const { tasks, caller } = runtime;
  const before = await turnsBefore(room);
  // The turn is asked for first, because the answer starts it at once.
  const asked = await tasks.call('run', { ref, force, chat: true }, caller, true);
  for (const given of answers) await tasks.call('answer', { ref, ...given }, caller);
  if (call.json) return nextTurn(room, asked.id, before, isOver);
  const started = await nextTurn(room, asked.id, before, () => true);
  const { terminal, paint } = call;
  const who = paint('dim', `${started.id}, ${started.agent}`);
  terminal.write(`${paint('cyan', '▸')} ${cleanLine(started.description)} ${who}\n`);
  const following = { offset: 0, deadline: Number.POSITIVE_INFINITY, raw: false };
  const { turn } = await followOutput(call, runtime, started, following);
  tellEnd(call, turn, paint('dim', turn.id));
  return turn;
}

/** The person's answers to all questions of the task; null when one is left for later. */
async function answersHere({ call, runtime, ref }: Run): Promise<Given[] | null> {
  const { json, terminal, paint } = call;
  const { id, name, waiting, questions } = await runtime.tasks.call('show', { ref }, runtime.caller, true);
  if (!waiting) return [];
  if (json) return null;
  const given: Given[] = [];
  for (const { key, author, text } of questions.filter(({ answers }) => answers.length === 0)) {
    const who = paint('bold', cleanLine(author.replace(/^agent:/, '')));
    terminal.write(`${paint('yellow', '?')} ${who} asks:\n${cleanText(text)}\n`);
    const answer = await terminal.ask('> ');
    if (answer === null || answer.trim() === '') {
      const command = `taskroom answer ${id ?? JSON.stringify(name)} 'your answer'`;
      terminal.write(`${paint('dim', `it waits for the answer: ${command}`)}\n`);
      return null;
    }
    given.push({ question: key, text: answer });
  }
  return given;
}
