// A person at a terminal who waits for a task's turns: their output as text, and when one ends with a question the person's
// answer, with which the next one goes on.
import type { RoomClient } from '../../../runtime.ts';
import type { TaskDetail } from '../../../tasks/shapes/task.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type { Call } from '../command.ts';
import { cleanLine, cleanText } from '../lines/display-text.ts';
import { turnEnd } from '../lines/turn-lines.ts';
import { followOutput } from './follow-output.ts';
import { nextTurn, turnsBefore } from './next-turn.ts';

/**
 * Follows turns of a task until one ends without a question that is answered here; returns the last.
 * @throws RoomError as `run`: also for a task that waits for an answer nobody gives here
 */
export async function followTask(
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
