// The answers that a task's next turn is to be given: those no turn has dealt with yet, with who stands behind each.

import type { TurnContext } from '../../core/context/context-shape.ts';
import type { Fenced, Trust } from '../../core/context/fence.ts';
import { answerPassages } from '../../core/context/prompt.ts';
import { type Answer, answerMark, type Question, readQuestions } from '../../core/task/body/questions.ts';
import type { Task } from '../../core/task/task.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { QuestionView } from '../shapes/task.ts';

type AnsweredQuestion = NonNullable<TurnContext['answers']>[number];

// Of one answer, and of all; what is left out stands in the file.
const MAX_ANSWER = 8_000;
const MAX_ALL = 16_000;

export interface NewAnswers {
  answers: AnsweredQuestion[];
  /** As prompt and brief show them. */
  passages: Fenced[];
}

/** Null where there is nothing new. */
export function newAnswers(ledger: Ledger, { id }: Pick<Task, 'id'>, body: string): NewAnswers | null {
  const news = id === null ? [] : ledger.questions.news(id);
  if (news.length === 0) return null;
  const questions = new Map(readQuestions(body).map((question) => [question.key, question]));
  const trust = new Map<string, Trust[]>();
  let left = MAX_ALL;
  const answers = news.flatMap(({ key, author, at, text, isWithdrawn, isUnsure }): AnsweredQuestion[] => {
    const question = questions.get(key);
    if (isWithdrawn) return [{ key, question: { author, at, text }, answers: [], withdrawn: true }];
    if (question === undefined) return [];
    trust.set(key, trustOfAnswers(ledger, question, isUnsure));
    const given = viewOf(question).answers.map((answer) => {
      const shown = clip(answer.text, Math.min(MAX_ANSWER, left));
      left -= Math.min(left, shown.length);
      return { ...answer, text: shown };
    });
    const asked = { author: question.author, at: question.at, text: clip(question.text, MAX_ANSWER) };
    return [{ key, question: asked, answers: given, withdrawn: false }];
  });
  return {
    answers,
    passages: answerPassages(answers, ({ key }, index) => trust.get(key)?.[index] ?? 'unsure'),
  };
}

/** A question as it is shown. */
export function viewOf({ key, author, at, text, answers }: Question): QuestionView {
  return {
    ...{ key, author, at, text },
    answers: answers.map((answer) =>
      answer.kind === 'typed'
        ? { author: null, role: null, at: null, text: answer.text }
        : { author: answer.author, role: answer.role, at: answer.at, text: answer.text },
    ),
  };
}

/** What a tool or the sync wrote for somebody is known by its entry, never by the name in it. */
function trustOfAnswers(ledger: Ledger, { answers }: Question, isUnsure: boolean): Trust[] {
  const marks = answers.map((answer) => (answer.kind === 'entry' ? answerMark(answer.id) : ''));
  const said = ledger.postedComments.among(marks);
  return answers.map((answer: Answer, index): Trust => {
    if (answer.kind === 'typed') return isUnsure ? 'unsure' : 'person';
    if (!said.has(marks[index]!)) return 'unsure';
    // Those of a mirror carry its provider's name; a login there may well be "owner".
    return answer.id.includes(':') ? 'member' : 'person';
  });
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}\n[taskroom: cut here to keep this short; the task file has all of it]`;
}
