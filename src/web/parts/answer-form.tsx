// An answer to a question, typed in place.
import { onTask } from '../room/actions.ts';
import { WordsForm } from './fields.tsx';

export const AnswerForm = ({ task, question, about }: { task: string; question: string; about: string }) => (
  <WordsForm
    draft={`answer ${task} ${question}`}
    label={`Answer to: ${about}`}
    placeholder="Your answer"
    button="Answer"
    kind="primary"
    send={(text) => onTask(task, 'The answer is given', 'answer', { text, question })}
  />
);
