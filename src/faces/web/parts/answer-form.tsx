// An answer to a question, typed in place; Ctrl+Enter sends it.

import { useId, useState } from 'preact/hooks';
import { change } from '../api/calls.ts';
import { onTask } from '../room/actions.ts';
import { useDraft } from '../room/drafts.ts';
import { sendOnEnter } from './send-key.ts';

export function AnswerForm({ task, question, about }: { task: string; question: string; about: string }) {
  const draft = useDraft<string>(`answer ${task} ${question}`);
  const text = draft.value ?? '';
  const [isSending, setSending] = useState(false);
  const id = useId();
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === '' || isSending) return;
    setSending(true);
    if (
      await onTask({ id: task, name: task }, 'The answer is given', (ref) =>
        change('answer', { ref, text, question }),
      )
    )
      draft.discard();
    setSending(false);
  };
  return (
    <form class="answer" onSubmit={(event) => void send(event)}>
      <label for={id} class="unseen">
        Answer to: {about}
      </label>
      <textarea
        id={id}
        rows={2}
        value={text}
        placeholder="Your answer"
        onInput={({ currentTarget }) => draft.keep(currentTarget.value)}
        onKeyDown={sendOnEnter}
      />
      <button type="submit" class="primary" disabled={text.trim() === '' || isSending}>
        Answer
      </button>
    </form>
  );
}
