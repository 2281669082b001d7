// What was just done or went wrong, in a corner; screen readers say it when it comes.
import { dismiss, notices } from '../room/notices.ts';
import { Button } from './fields.tsx';

export function NoticeList() {
  return (
    <div class="notices stack" role="status" aria-live="polite">
      {notices.value.map(({ key, text, hint, failed, undo }) => {
        const takeBack = () => {
          dismiss(key);
          undo?.();
        };
        return (
          <div key={key} class={failed ? 'notice line note tone-failed' : 'notice line'}>
            <span class="grow">
              {text}
              {hint && <small>{hint}</small>}
            </span>
            {undo && <Button name="Undo" kind="quiet" run={takeBack} />}
            <Button name="×" kind="quiet" label="Dismiss" run={() => dismiss(key)} />
          </div>
        );
      })}
    </div>
  );
}
