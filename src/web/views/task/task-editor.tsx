// Changes title and text of a task, sending only what was changed, made on what was read: when the file says something else
// by then, both texts are shown and the person chooses. Changed words are a draft until they are saved or discarded.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { change, type TaskDetail } from '../../api/calls.ts';
import { ApiError, askFor } from '../../api/request.ts';
import { DiffText } from '../../parts/diff-text.tsx';
import { Button, sendOnEnter } from '../../parts/fields.tsx';
import { refOf, tell, tellError } from '../../room/actions.ts';
import { type Draft, useDraft } from '../../room/drafts.ts';
import { askAgain, touchRows } from '../../room/queries.ts';

type Words = { title: string; body: string };

/** A text that a change is made on. */
type Version = { words: Words; etag: string };

interface WordsDraft {
  words: Words;
  base: Version; // What the edit was begun on; what the page reads meanwhile changes nothing of it.
}

function versionOf({ title, name, task_text: body }: TaskDetail, etag: string): Version {
  return { words: { title: title ?? name, body }, etag };
}

export const useWordsDraft = (ref: string): Draft<WordsDraft> => useDraft<WordsDraft>(`words ${ref}`);

interface EditorProps {
  task: TaskDetail;
  etag: string;
  draft: Draft<WordsDraft>;
  takesFocus: boolean; // The person asked for the editor just now; else it shows what was typed before.
  onClose: () => void;
}

export function TaskEditor({ task, etag, draft, takesFocus, onClose }: EditorProps) {
  const ref = refOf(task);
  const [begun] = useState<Version>(() => versionOf(task, etag));
  const [theirs, setTheirs] = useState<Version | null>(null);
  const { words, base } = draft.value ?? { words: begun.words, base: begun };
  const close = (sent?: WordsDraft | null) => {
    draft.discard(sent);
    askAgain();
    onClose();
  };
  const save = async (on: Version) => {
    const saved = await sendWords(ref, words, on);
    if (saved === null) return;
    if (typeof saved !== 'string') return setTheirs(saved);
    if (saved === 'saved') tell('Saved');
    touchRows();
    close(draft.value);
  };
  if (theirs === null)
    return (
      <EditorForm
        words={words}
        takesFocus={takesFocus}
        isChanged={!sameWords(words, base.words)}
        onWords={(changed) => draft.keep({ words: changed, base })}
        onSave={() => void save(base)}
        onClose={close}
      />
    );
  const goOn = () => {
    draft.keep({ words, base: theirs });
    setTheirs(null);
  };
  return (
    <section class="card edge tone-accent stack editor" aria-labelledby="clash">
      <h2 id="clash">Somebody changed it meanwhile</h2>
      <p>Nothing is saved yet. Which text is to stand?</p>
      <DiffText from={textOf(theirs.words)} to={textOf(words)} names={['In the file now', 'Yours']} />
      <div class="wrap">
        <Button name="Edit yours" kind="primary" run={goOn} />
        <Button name="Save yours over it" run={() => save(theirs)} />
        <Button name="Discard yours" run={close} />
      </div>
    </section>
  );
}

interface FormProps {
  words: Words;
  isChanged: boolean;
  takesFocus: boolean;
  onWords: (words: Words) => void;
  onSave: () => void;
  onClose: () => void;
}

function EditorForm({ words, isChanged, takesFocus, onWords, onSave, onClose }: FormProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  // Before the next key: what is typed right after the command belongs to the text.
  useLayoutEffect(() => {
    if (takesFocus) text.current?.focus();
  }, []);
  const field = (name: keyof Words) => ({
    value: words[name],
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onWords({ ...words, [name]: value }),
  });
  const rows = Math.min(30, words.body.split('\n').length + 4);
  return (
    <form
      class="fields stack editor"
      aria-label="Edit the task"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isChanged) onClose();
      }}
    >
      <label>
        Title
        <input {...field('title')} />
      </label>
      <label>
        Text (markdown)
        <textarea ref={text} rows={rows} {...field('body')} onKeyDown={sendOnEnter} />
      </label>
      <footer>
        {isChanged && <span class="muted">Not saved yet; kept in this browser.</span>}
        <Button name={isChanged ? 'Discard' : 'Close'} run={onClose} />
        <button type="submit" class="primary">
          Save
        </button>
      </footer>
    </form>
  );
}

/** What stands there by now where that is something else; null when it failed otherwise, which is told. */
async function sendWords(
  ref: string,
  said: Words,
  { words: before, etag }: Version,
): Promise<'saved' | 'same' | Version | null> {
  const body = {
    ...(said.title.trim() === before.title ? {} : { title: said.title.trim() || null }),
    ...(said.body.trim() === before.body.trim() ? {} : { body: said.body }),
  };
  if (Object.keys(body).length === 0) return 'same';
  try {
    await askFor(change('update', { ref, ...body }), { headers: { 'if-match': etag } });
    return 'saved';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const current = error.problem.current as TaskDetail | undefined;
    if (error.status === 412 && current !== undefined && error.etag !== null) {
      const other = versionOf(current, error.etag);
      // An agent's progress, say, is no other text: the change goes on top of it.
      return sameWords(other.words, before) ? sendWords(ref, said, other) : other;
    }
    tellError(error);
    return null;
  }
}

const textOf = ({ title, body }: Words) => `${title}\n\n${body}`;
const sameWords = (one: Words, other: Words): boolean => one.title === other.title && one.body === other.body;
