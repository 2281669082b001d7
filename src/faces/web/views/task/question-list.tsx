// The questions of a task: open ones with a place for the answer, answered ones folded away.
import type { Question, TaskDetail } from '../../api/shapes.ts';
import { AnswerForm } from '../../parts/answer-form.tsx';
import { Markdown } from '../../parts/markdown.tsx';

export function QuestionList({ task }: { task: TaskDetail }) {
  const open = task.questions.filter(({ answers }) => answers.length === 0);
  const answered = task.questions.filter(({ answers }) => answers.length > 0);
  if (task.questions.length === 0) return null;
  return (
    <section class="questions" aria-labelledby="questions">
      <h2 id="questions">Questions</h2>
      {open.map((question) => (
        <div key={question.key} class="card question open">
          <Asked question={question} />
          {task.id === null ? null : (
            <AnswerForm task={task.id} question={question.key} about={question.text.slice(0, 200)} />
          )}
        </div>
      ))}
      {answered.length === 0 ? null : (
        <details open={open.length === 0 && answered.length < 3}>
          <summary>{answered.length} answered</summary>
          {answered.map((question) => (
            <div key={question.key} class="card question">
              <Asked question={question} />
              {question.answers.map(({ author, at, text }, index) => (
                <div key={`${at} ${index}`} class="given">
                  <p class="entry-head">
                    <bdi>{author ?? 'typed by hand'}</bdi> {at}
                  </p>
                  <Markdown text={text} />
                </div>
              ))}
            </div>
          ))}
        </details>
      )}
    </section>
  );
}

function Asked({ question: { author, at, text } }: { question: Question }) {
  return (
    <>
      <p class="entry-head">
        <bdi>{author.replace(/^agent:/, '')}</bdi> asks · {at}
      </p>
      <Markdown text={text} />
    </>
  );
}
