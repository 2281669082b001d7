// Changes title and text of a task, sending only what was changed, made on what was read: when the file says something else
// by then, both texts are shown and the person chooses.
import { useState } from 'preact/hooks';
import { change } from '../../api/calls.ts';
import { ApiError, askFor } from '../../api/request.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { sendOnEnter } from '../../parts/send-key.ts';
import { tell, tellError } from '../../room/notices.ts';
import { staleRow } from '../../room/task-rows.ts';
import type { ReadTask } from './read-task.ts';
import { TextClash } from './text-clash.tsx';

interface Words {
  title: string;
  body: string;
}

function wordsOf({ title, name, task_text: body }: TaskDetail): Words {
  return { title: title ?? name, body };
}

export function TaskEditor({
  read,
  onClose,
  onSaved,
}: {
  read: ReadTask;
  onClose: () => void;
  onSaved: () => void;
}) {
  // What the edit was begun on; what the page reads meanwhile changes nothing of it.
  const [base, setBase] = useState<ReadTask>(read);
  const [words, setWords] = useState<Words>(() => wordsOf(read.task));
  const [theirs, setTheirs] = useState<ReadTask | null>(null);
  const save = async (said: Words, on: ReadTask) => {
    const saved = await sendWords(said, on);
    if (saved === 'saved' || saved === 'same') {
      if (saved === 'saved') tell('Saved');
      staleRow(on.task.id ?? on.task.name);
      onSaved();
      onClose();
    } else if (saved !== null) setTheirs(saved);
  };
  if (theirs !== null)
    return (
      <TextClash
        theirs={wordsOf(theirs.task)}
        mine={words}
        onTakeTheirs={() => {
          onSaved();
          onClose();
        }}
        onTakeMine={() => void save(words, theirs)}
        onEdit={() => {
          setBase(theirs);
          setTheirs(null);
        }}
      />
    );
  return (
    <EditorForm words={words} onWords={setWords} onSave={() => void save(words, base)} onClose={onClose} />
  );
}

interface FormProps {
  words: Words;
  onWords: (words: Words) => void;
  onSave: () => void;
  onClose: () => void;
}

function EditorForm({ words, onWords, onSave, onClose }: FormProps) {
  return (
    <form
      class="fields editor"
      aria-label="Edit the task"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <label>
        Title
        <input
          value={words.title}
          onInput={({ currentTarget: { value } }) => onWords({ ...words, title: value })}
        />
      </label>
      <label>
        Text (markdown)
        <textarea
          rows={Math.min(30, words.body.split('\n').length + 4)}
          value={words.body}
          onInput={({ currentTarget: { value } }) => onWords({ ...words, body: value })}
          onKeyDown={(event) => (event.key === 'Escape' ? onClose() : sendOnEnter(event))}
        />
      </label>
      <footer>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
        <button type="submit" class="primary">
          Save
        </button>
      </footer>
    </form>
  );
}

/** What stands there by now where that is something else; null when it failed otherwise, which is told. */
async function sendWords(said: Words, on: ReadTask): Promise<'saved' | 'same' | ReadTask | null> {
  const before = wordsOf(on.task);
  const body = {
    ...(said.title.trim() === before.title ? {} : { title: said.title.trim() || null }),
    ...(said.body.trim() === before.body.trim() ? {} : { body: said.body }),
  };
  if (Object.keys(body).length === 0) return 'same';
  const { task, etag } = on;
  try {
    const ref = task.id ?? task.name;
    await askFor(change('patch', '/api/tasks/{ref}', { ref }, body), { headers: { 'if-match': etag } });
    return 'saved';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const current = error.problem.current as TaskDetail | undefined;
    if (error.status === 412 && current !== undefined && error.etag !== null) {
      const other = { task: current, etag: error.etag };
      // An agent's progress, say, is no other text: the change goes on top of it.
      return sameWords(wordsOf(current), before) ? sendWords(said, other) : other;
    }
    tellError(error);
    return null;
  }
}

function sameWords(one: Words, other: Words): boolean {
  return one.title === other.title && one.body === other.body;
}
