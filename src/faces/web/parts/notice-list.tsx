// What was just done or went wrong, in a corner; screen readers say it when it comes.
import { dismiss, notices } from '../room/notices.ts';

export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ key, text, hint, failed, undo }) => (
        <div key={key} class={failed ? 'notice failed' : 'notice'}>
          <span>
            {text}
            {hint === null ? null : <small>{hint}</small>}
          </span>
          {undo === null ? null : (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                dismiss(key);
                undo();
              }}
            >
              Undo
            </button>
          )}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(key)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
