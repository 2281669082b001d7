// Buttons, choices, and the form for a few words that are a draft until they are sent.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onTask, type Question } from '../room/actions.ts';
import { readDraft, useDraft } from '../room/drafts.ts';

interface ButtonProps {
  name: ComponentChildren;
  run: () => unknown;
  kind?: 'quiet' | 'primary' | 'danger' | undefined;
  label?: string; // What it is called where the name alone does not tell it.
  title?: string;
  disabled?: boolean;
  isStop?: boolean; // The keys that go from row to row stop at it.
}

export const Button = ({ name, run, kind, label, title, disabled, isStop }: ButtonProps) => (
  <button
    type="button"
    class={kind}
    aria-label={label}
    title={title}
    disabled={disabled}
    data-stop={isStop}
    onClick={() => void run()}
  >
    {name}
  </button>
);

export const ButtonLink = ({ name, href }: { name: string; href: string }) => (
  <a class="button" href={href}>
    {name}
  </a>
);

export type Option = string | readonly [value: string, name: string];

interface ChoiceProps {
  label: string;
  value: string | null;
  options: readonly Option[]; // A text means itself.
  none?: string; // What stands there where nothing is chosen; without it one always is.
  class?: string;
  disabled?: boolean | undefined;
  onChoose: (value: string | null) => void;
}

export const Choice = ({ label, value, options, none, class: name, disabled, onChoose }: ChoiceProps) => (
  <select
    aria-label={label}
    class={name}
    disabled={disabled}
    value={value ?? ''}
    onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
  >
    {none !== undefined && <option value="">{none}</option>}
    {options.map((option) => {
      const [key, text] = typeof option === 'string' ? [option, option] : option;
      return (
        <option key={key} value={key}>
          {text}
        </option>
      );
    })}
  </select>
);

/** Ctrl+Enter sends the form one types in. */
export function sendOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).closest('form')?.requestSubmit();
}

interface WordsProps {
  draft: string; // Names the field and the task that the words belong to.
  id?: string;
  label: string;
  placeholder: string;
  button: string;
  kind?: 'primary';
  isLine?: boolean; // Of one line: its button comes with the first letter.
  /** @returns whether they are sent: only then they are no draft any more */
  send: (text: string) => Promise<boolean>;
}

export function WordsForm(props: WordsProps) {
  const { draft: key, id, label, placeholder, button, kind, isLine = false, send } = props;
  const draft = useDraft<string>(key);
  const [isSending, setSending] = useState(false);
  const isWanted = useRef(false);
  const own = useId();
  const text = draft.value ?? '';
  const isEmpty = text.trim() === '';
  const submit = async (event: Event) => {
    event.preventDefault();
    isWanted.current = true;
    if (isEmpty || isSending) return;
    setSending(true);
    // What is typed while words are under way stays, and is sent after them when that is asked for.
    for (let words = text; isWanted.current && words.trim() !== ''; words = String(readDraft(key) ?? '')) {
      isWanted.current = false;
      if (!(await send(words))) break;
      draft.discard(words);
    }
    setSending(false);
  };
  const field = {
    ...{ id: id ?? own, value: text, placeholder },
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => draft.keep(value),
  };
  return (
    <form
      class={isLine ? 'words-form line is-line' : 'words-form line'}
      onSubmit={(event) => void submit(event)}
    >
      <label for={id ?? own} class="unseen">
        {label}
      </label>
      {isLine ? <input {...field} /> : <textarea rows={2} {...field} onKeyDown={sendOnEnter} />}
      {isLine && text === '' ? null : (
        <button type="submit" class={kind} disabled={isEmpty}>
          {button}
        </button>
      )}
    </form>
  );
}

// A dialog over the page: the browser keeps the focus in it and gives it back, Escape closes it.

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The browser reports the close later, when another dialog may be there already.
  const isGone = useRef(false);
  const id = useId();
  // Before the next key: what is typed right after a command belongs to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current!;
    if (!element.open) element.showModal();
    return () => {
      isGone.current = true;
      element.close();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => isGone.current || onClose()}>
      <header class="line">
        <h2 id={id} class="grow">
          {title}
        </h2>
        <Button name="Close" kind="quiet" run={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

/** Asks before something is done. Its button has the focus: Enter says yes, Escape no. */
export function Confirm({ of, onClose }: { of: Question; onClose: () => void }) {
  const { title, text, button, isDanger, run } = of;
  const confirm = () => {
    onClose();
    run();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <bdi>{text}</bdi>
      </p>
      <footer>
        <button type="button" class={isDanger ? 'danger' : 'primary'} autofocus onClick={confirm}>
          {button}
        </button>
      </footer>
    </Dialog>
  );
}

export const answerDraft = (task: string, question: string): string => `answer ${task} ${question}`;

export const AnswerForm = ({ task, question, about }: { task: string; question: string; about: string }) => (
  <WordsForm
    draft={answerDraft(task, question)}
    label={`Answer to: ${about}`}
    placeholder="Your answer"
    button="Answer"
    kind="primary"
    send={(text) => onTask(task, 'The answer is given', 'answer', { text, question })}
  />
);
