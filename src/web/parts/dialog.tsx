// A dialog over the page: the browser keeps the focus in it and gives it back, Escape closes it.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Question } from '../room/actions.ts';
import { Button } from './fields.tsx';

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
