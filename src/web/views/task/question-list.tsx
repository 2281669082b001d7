// The questions of a task: open ones with a place for the answer, answered ones folded away.
import type { TaskDetail } from '../../api/shapes.ts';
import { AnswerForm } from '../../parts/answer-form.tsx';
import { Section } from '../../parts/blocks.tsx';
import { Markdown } from '../../parts/markdown.tsx';

export function QuestionList({ task: { id, questions } }: { task: TaskDetail }) {
  const open = questions.filter(({ answers }) => answers.length === 0);
  const answered = questions.filter(({ answers }) => answers.length > 0);
  if (questions.length === 0) return null;
  return (
    <Section title="Questions" class="questions stack">
      {open.map((question) => (
        <div key={question.key} class="card edge tone-accent stack">
          <Entry author={`${question.author.replace(/^agent:/, '')} asks`} entry={question} />
          {id && <AnswerForm task={id} question={question.key} about={question.text.slice(0, 200)} />}
        </div>
      ))}
      {answered.length > 0 && (
        <details open={open.length === 0 && answered.length < 3}>
          <summary>{answered.length} answered</summary>
          {answered.map((question) => (
            <div key={question.key} class="card stack">
              <Entry author={`${question.author.replace(/^agent:/, '')} asks`} entry={question} />
              {question.answers.map((answer, index) => (
                <div key={`${answer.at} ${index}`} class="given">
                  <Entry author={answer.author ?? 'typed by hand'} entry={answer} />
                </div>
              ))}
            </div>
          ))}
        </details>
      )}
    </Section>
  );
}

function Entry({
  author,
  entry: { at, text },
}: {
  author: string;
  entry: { at: string | null; text: string };
}) {
  return (
    <div>
      <p class="small muted">
        <bdi>{author}</bdi> {at}
      </p>
      <Markdown text={text} />
    </div>
  );
}
