// One conflict: both texts side by side, a button for each, and a text of one's own. Settled once: when either text is
// another by then, the server refuses and both are shown anew.
import { useState } from 'preact/hooks';
import { addressOf } from '../../address.ts';
import { change } from '../../api/calls.ts';
import { ApiError, ask } from '../../api/request.ts';
import type { Conflict, Mirror } from '../../api/shapes.ts';
import { When } from '../../parts/times.tsx';
import { tell, tellError } from '../../room/notices.ts';
import { touchAll } from '../../room/resource.ts';

type Take = 'standing' | 'lost' | 'own';

interface CardProps {
  mirror: Mirror;
  conflict: Conflict;
  onSettled: () => void;
}

export function ConflictCard({ mirror, conflict, onSettled }: CardProps) {
  const [own, setOwn] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { field, standing, lost, lost_side: lostSide } = conflict;
  const settle = async (take: Take, text?: string) => {
    setBusy(true);
    await sendSettlement(conflict, take, text);
    setBusy(false);
    onSettled();
  };
  const tracker = `${mirror.provider} ${mirror.ref}`;
  const here = 'In the task’s file';
  return (
    <article class="card conflict" aria-label={`Conflict over the ${field} of ${mirror.name ?? mirror.task}`}>
      <p>
        <a href={addressOf(['task', mirror.task])}>
          <bdi>{mirror.name ?? mirror.task}</bdi>
        </a>{' '}
        · <strong>{field}</strong> ·{' '}
        <span class="muted">
          <When at={conflict.at} />
        </span>
      </p>
      <div class="both">
        <Side
          name={lostSide === 'local' ? `From ${tracker}, which stands now` : `${here}, which stands now`}
          text={standing}
          button="Keep what stands"
          isBusy={isBusy}
          onTake={() => void settle('standing')}
        />
        <Side
          name={lostSide === 'local' ? `${here} before` : `From ${tracker}`}
          text={lost}
          button="Take this one"
          isBusy={isBusy}
          onTake={() => void settle('lost')}
        />
      </div>
      {own === null ? (
        <button type="button" class="quiet" onClick={() => setOwn(standing)}>
          Write it anew …
        </button>
      ) : (
        <OwnText text={own} onText={setOwn} isBusy={isBusy} onUse={() => void settle('own', own)} />
      )}
    </article>
  );
}

interface OwnProps {
  text: string;
  /** Null leaves it. */
  onText: (text: string | null) => void;
  isBusy: boolean;
  onUse: () => void;
}

function OwnText({ text, onText, isBusy, onUse }: OwnProps) {
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onUse();
      }}
    >
      <label>
        A text of your own
        <textarea rows={6} value={text} onInput={({ currentTarget }) => onText(currentTarget.value)} />
      </label>
      <footer>
        <button type="button" onClick={() => onText(null)}>
          Leave it
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          Use this text
        </button>
      </footer>
    </form>
  );
}

async function sendSettlement({ id, task, version }: Conflict, take: Take, text?: string): Promise<void> {
  const body = { conflict: id, take, version, ...(text === undefined ? {} : { text }) };
  try {
    await ask(change('settle', { ref: task, ...body }));
    tell('The conflict is settled');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tellError(error);
  }
  touchAll();
}

function Side({
  name,
  text,
  button,
  isBusy,
  onTake,
}: {
  name: string;
  text: string;
  button: string;
  isBusy: boolean;
  onTake: () => void;
}) {
  return (
    <div class="side-text">
      <h3>{name}</h3>
      <pre dir="auto" role="region" tabIndex={0} aria-label={name}>
        {text}
      </pre>
      <button type="button" disabled={isBusy} onClick={onTake}>
        {button}
      </button>
    </div>
  );
}
