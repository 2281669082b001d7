// The comments of a task, and a new one; of a mirrored task it goes to the tracker with the next sync.
import type { TaskDetail } from '../../api/shapes.ts';
import { Section } from '../../parts/blocks.tsx';
import { WordsForm } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { onTask, refOf } from '../../room/actions.ts';
import { isFixed } from './step-list.tsx';

export function CommentList({ task }: { task: TaskDetail }) {
  const ref = refOf(task);
  return (
    <Section title="Comments" class="comments">
      <ul class="stack">
        {task.comments.map(({ author, role, at, text: said }, index) => (
          <li key={`${at} ${index}`} class="card">
            <p class="small muted">
              <strong>
                <bdi>{author}</bdi>
              </strong>{' '}
              {role && <span class="label">{role}</span>} {at}
            </p>
            <Markdown text={said} />
          </li>
        ))}
      </ul>
      {isFixed(task) || (
        <WordsForm
          draft={`comment ${ref}`}
          id="comment"
          label="New comment"
          placeholder={task.remote === null ? 'Comment' : 'Comment, here and in the tracker'}
          button="Comment"
          send={(text) => onTask(ref, 'The comment is added', 'comment', { text })}
        />
      )}
    </Section>
  );
}
