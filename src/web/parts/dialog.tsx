// A dialog over the page: the browser keeps the focus in it and gives it back, Escape closes it.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './fields.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

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

interface ConfirmProps extends DialogProps {
  button: string;
  kind: 'primary' | 'danger';
  onConfirm: () => unknown;
}

/** Asks before something is done. */
export function Confirm({ title, button, kind, onConfirm, onClose, children }: ConfirmProps) {
  const confirm = () => {
    onClose();
    onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <footer>
        <Button name={button} kind={kind} run={confirm} />
      </footer>
    </Dialog>
  );
}
