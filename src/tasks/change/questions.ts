// Asking and answering in the Questions section. That a task waits, and that an answer wakes it, follows from what its file says.
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import {
  answerMark,
  formatAnswer,
  formatQuestion,
  isOpen,
  type Question,
  questionMark,
  readQuestions,
} from '../../core/task/body/questions.ts';
import { isSettled, type SettledAnswers } from '../../core/task/overflow.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Target } from '../lookup/locate.ts';
import type { RoomHandle } from '../room-handle.ts';
import { type Actor, isAgent, signatureOf } from '../task-room.ts';
import { changeTask } from './change.ts';
import { bodyOf, checkText, keyFor } from './entry-change.ts';

const MAX_QUESTION = 8_000;
// An agent that asks this much at once does not ask one clear question.
const MOST_OPEN = 10;
// Well below what makes a file too large to be read.
const MOST_CHARACTERS = 256 * 1024;

export async function ask(deps: RoomHandle, ref: string, text: string, actor: Actor, key?: string) {
  checkText(text, MAX_QUESTION, 'ask one clear question, and put what it needs into progress or a comment');
  const { effects, ledger } = deps;
  const atMs = effects.now();
  const once = key === undefined ? keyFor(actor, 'ask') : { key };
  // QuestionChanged again with the same key it is the same question, also after a crash.
  const fresh = once.key === undefined ? newTag(effects.randomBytes) : hashText(once.key).slice(0, 10);
  let asked = fresh;
  const plan = (target: Target) => {
    const questions = questionsOf(target);
    const same = questions.find((question) => isOpen(question) && question.text.trim() === text.trim());
    if (same !== undefined) {
      asked = same.key;
      return {};
    }
    const settled = target.id === null ? new Map<string, string>() : ledger.questions.settled(target.id);
    if (!questions.some((question) => question.key === fresh)) assertMayAsk(target, questions, settled);
    // Before it is written: what a person types by hand is no question to be sent upstream.
    ledger.postedComments.add(questionMark(fresh), atMs);
    const role = isAgent(actor) ? 'agent' : null;
    const block = formatQuestion({ author: signatureOf(actor), role, atMs, key: fresh, text: text.trim() });
    return { append: [{ section: 'Questions' as const, block, ...once }], settled };
  };
  const changed = await changeTask(deps, ref, actor, plan);
  return { ...changed, question: asked };
}

/** @throws RoomError `refused` */
function assertMayAsk({ task }: Target, questions: readonly Question[], settled: SettledAnswers): void {
  if (isFinished(task.status))
    throw new RoomError('refused', `${task.name} is ${task.status}: it waits for no answer`, {
      hint: 'leave a comment',
    });
  if (questions.filter(isOpen).length >= MOST_OPEN)
    throw new RoomError('refused', `${task.name} has ${MOST_OPEN} open questions already`, {
      hint: 'end the turn: it goes on when they are answered',
    });
  // The others move out of the file before it grows too large.
  const standing = questions.filter((question) => !isSettled(question, settled));
  const size = standing.reduce((sum, { raw, answers }) => sum + raw.length + textsOf(answers), 0);
  if (size > MOST_CHARACTERS)
    throw new RoomError('refused', `the Questions of ${task.name} have ${size} characters`, {
      hint: 'a person can take old ones out of the file',
    });
}

function textsOf(answers: Question['answers']): number {
  return answers.reduce((sum, { text }) => sum + text.length, 0);
}

function questionsOf({ path, text }: Target): Question[] {
  return readQuestions(bodyOf(path, text));
}

export async function answer(deps: RoomHandle, ref: string, text: string, actor: Actor, question?: string) {
  if (actor.kind !== 'person') throw new RoomError('not_allowed', 'only the person answers a question');
  checkText(text);
  const { effects, ledger } = deps;
  const atMs = effects.now();
  let answered = '';
  const changed = await changeTask(deps, ref, actor, (target) => {
    const { key } = chooseQuestion(target, question);
    answered = key;
    const id = newTag(effects.randomBytes);
    // Before it is written: it tells the person's word from what an agent writes into its file.
    ledger.postedComments.add(answerMark(id), atMs);
    const block = formatAnswer({ author: signatureOf(actor), role: null, atMs, key, id, text: text.trim() });
    return { append: [{ section: 'Questions', block }] };
  });
  return { ...changed, question: answered };
}

/** @throws RoomError `not_found`, `ambiguous` */
function chooseQuestion(target: Target, word: string | undefined): Question {
  const questions = questionsOf(target);
  const { name } = target.task;
  if (word !== undefined) {
    const exact = questions.filter(({ key }) => key === word);
    const fitting = exact.length > 0 ? exact : questions.filter(({ key }) => key.startsWith(word));
    if (word !== '' && fitting.length === 1) return fitting[0]!;
    throw new RoomError(fitting.length > 1 ? 'ambiguous' : 'not_found', `${name} has no question "${word}"`, {
      hint: questions.length === 0 ? 'it asks nothing' : `it has: ${listed(questions)}`,
    });
  }
  const open = questions.filter(isOpen);
  if (open.length > 1)
    throw new RoomError('ambiguous', `${name} has ${open.length} open questions`, {
      hint: `name one with --question: ${listed(open)}`,
    });
  const chosen = open[0] ?? questions.at(-1);
  if (chosen === undefined)
    throw new RoomError('not_found', `${name} asks nothing`, 'to tell its agent something: taskroom comment');
  return chosen;
}

const SHOWN = 80;

function listed(questions: readonly Question[]): string {
  return questions
    .map(({ key, text }) => `${key} (${text.split('\n')[0]!.slice(0, SHOWN).toWellFormed()})`)
    .join(', ');
}
