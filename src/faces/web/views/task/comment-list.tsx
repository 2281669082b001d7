// The comments of a task, and a new one; of a mirrored task it goes to the tracker with the next sync.

import { useState } from 'preact/hooks';
import { change } from '../../api/calls.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { sendOnEnter } from '../../parts/send-key.ts';
import { onTask } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';

export function CommentList({ task }: { task: TaskDetail }) {
  const draft = useDraft<string>(`comment ${task.id ?? task.name}`);
  const text = draft.value ?? '';
  const [isSending, setSending] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === '' || isSending) return;
    setSending(true);
    if (await onTask(task, 'The comment is added', (ref) => change('comment', { ref, text })))
      draft.discard();
    setSending(false);
  };
  return (
    <section aria-labelledby="comments" class="comments">
      <h2 id="comments">Comments</h2>
      <ul>
        {task.comments.map(({ author, role, at, text: said }, index) => (
          <li key={`${at} ${index}`} class="card">
            <p class="entry-head">
              <strong>
                <bdi>{author}</bdi>
              </strong>{' '}
              {role === null ? null : <span class="label">{role}</span>} {at}
            </p>
            <Markdown text={said} />
          </li>
        ))}
      </ul>
      {task.archived || task.deleted ? null : (
        <form class="answer" onSubmit={(event) => void send(event)}>
          <label for="comment" class="unseen">
            New comment
          </label>
          <textarea
            id="comment"
            rows={2}
            placeholder={task.remote === null ? 'Comment' : 'Comment, here and in the tracker'}
            value={text}
            onInput={({ currentTarget }) => draft.keep(currentTarget.value)}
            onKeyDown={sendOnEnter}
          />
          <button type="submit" disabled={text.trim() === '' || isSending}>
            Comment
          </button>
        </form>
      )}
    </section>
  );
}
