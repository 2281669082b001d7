// Changes title and text of a task, sending only what was changed, made on what was read: when the file says something else
// by then, both texts are shown and the person chooses. Changed words are a draft until they are saved or discarded.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { change } from '../../api/calls.ts';
import { ApiError, askFor } from '../../api/request.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { sendOnEnter } from '../../parts/send-key.ts';
import { type Draft, useDraft } from '../../room/drafts.ts';
import { tell, tellError } from '../../room/notices.ts';
import { staleRow } from '../../room/task-rows.ts';
import type { ReadTask } from './read-task.ts';
import { TextClash } from './text-clash.tsx';

interface Words {
  title: string;
  body: string;
}

/** A text that a change is made on. */
interface Version {
  words: Words;
  etag: string;
}

interface WordsDraft {
  words: Words;
  /** What the edit was begun on; what the page reads meanwhile changes nothing of it. */
  base: Version;
}

function versionOf({ task: { title, name, task_text: body }, etag }: ReadTask): Version {
  return { words: { title: title ?? name, body }, etag };
}

export function useWordsDraft(ref: string): Draft<WordsDraft> {
  return useDraft<WordsDraft>(`words ${ref}`);
}

interface EditorProps {
  reference: string;
  read: ReadTask;
  draft: Draft<WordsDraft>;
  /** The person asked for the editor just now; else it shows what was typed before. */
  takesFocus: boolean;
  onClose: () => void;
  onSaved: () => void;
}

export function TaskEditor({ reference, read, draft, takesFocus, onClose, onSaved }: EditorProps) {
  const [begun] = useState<Version>(() => versionOf(read));
  const [theirs, setTheirs] = useState<Version | null>(null);
  const { words, base } = draft.value ?? { words: begun.words, base: begun };
  const close = () => {
    draft.discard();
    onClose();
  };
  const save = async (on: Version) => {
    const saved = await sendWords(reference, words, on);
    if (saved === null) return;
    if (typeof saved !== 'string') return setTheirs(saved);
    if (saved === 'saved') tell('Saved');
    staleRow(reference);
    onSaved();
    close();
  };
  if (theirs !== null)
    return (
      <TextClash
        theirs={theirs.words}
        mine={words}
        onTakeTheirs={() => {
          onSaved();
          close();
        }}
        onTakeMine={() => void save(theirs)}
        onEdit={() => {
          draft.keep({ words, base: theirs });
          setTheirs(null);
        }}
      />
    );
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
  return (
    <form
      class="fields editor"
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
        <input
          value={words.title}
          onInput={({ currentTarget: { value } }) => onWords({ ...words, title: value })}
        />
      </label>
      <label>
        Text (markdown)
        <textarea
          ref={text}
          rows={Math.min(30, words.body.split('\n').length + 4)}
          value={words.body}
          onInput={({ currentTarget: { value } }) => onWords({ ...words, body: value })}
          onKeyDown={sendOnEnter}
        />
      </label>
      <footer>
        {isChanged ? <span class="muted">Not saved yet; kept in this browser.</span> : null}
        <button type="button" onClick={onClose}>
          {isChanged ? 'Discard' : 'Close'}
        </button>
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
      const other = versionOf({ task: current, etag: error.etag });
      // An agent's progress, say, is no other text: the change goes on top of it.
      return sameWords(other.words, before) ? sendWords(ref, said, other) : other;
    }
    tellError(error);
    return null;
  }
}

function sameWords(one: Words, other: Words): boolean {
  return one.title === other.title && one.body === other.body;
}
