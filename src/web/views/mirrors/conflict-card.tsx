// One conflict: both texts side by side, a button for each, and a text of one's own. Settled once: when either text is
// another by then, the server refuses and both are shown anew.

import { useState } from 'preact/hooks';
import { defined } from '../../../core/plain-data.ts';
import { addressOf } from '../../address.ts';
import type { Mirror } from '../../api/shapes.ts';
import { SideText } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { When } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';

interface CardProps {
  mirror: Mirror;
  conflict: Mirror['conflicts'][number];
}

export function ConflictCard({ mirror: { provider, ref, name, task }, conflict }: CardProps) {
  const [own, setOwn] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { id, field, standing, lost, lost_side: lostSide, version, at } = conflict;
  const settle = async (take: 'standing' | 'lost' | 'own', text?: string) => {
    setBusy(true);
    const wish = { ref: task, conflict: id, take, version, ...defined({ text }) };
    await act('The conflict is settled', 'settle', wish);
    setBusy(false);
  };
  const [there, here] = [`From ${provider} ${ref}`, 'In the task’s file'];
  const isLostHere = lostSide === 'local';
  return (
    <article
      class="card edge tone-accent conflict"
      aria-label={`Conflict over the ${field} of ${name ?? task}`}
    >
      <p>
        <a href={addressOf(['task', task])}>
          <bdi>{name ?? task}</bdi>
        </a>{' '}
        · <strong>{field}</strong> ·{' '}
        <span class="muted">
          <When at={at} />
        </span>
      </p>
      <div class="pair">
        <SideText name={`${isLostHere ? there : here}, which stands now`} text={standing}>
          <Button name="Keep what stands" disabled={isBusy} run={() => settle('standing')} />
        </SideText>
        <SideText name={isLostHere ? `${here} before` : there} text={lost}>
          <Button name="Take this one" disabled={isBusy} run={() => settle('lost')} />
        </SideText>
      </div>
      {own === null ? (
        <Button name="Edit …" kind="quiet" run={() => setOwn(standing)} />
      ) : (
        <div class="fields stack">
          <label>
            A text of your own
            <textarea rows={6} value={own} onInput={({ currentTarget }) => setOwn(currentTarget.value)} />
          </label>
          <footer>
            <Button name="Discard" run={() => setOwn(null)} />
            <Button name="Use this text" kind="primary" disabled={isBusy} run={() => settle('own', own)} />
          </footer>
        </div>
      )}
    </article>
  );
}
