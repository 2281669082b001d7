// One conflict: what differs between both texts, one recommended answer, the other one, and a text of one's own. Settled once: when
// either text is another by then, the server refuses and both are shown anew.

import { useState } from 'preact/hooks';
import { defined } from '../../../core/plain-data.ts';
import { addressOf } from '../../address.ts';
import type { Mirror } from '../../api/shapes.ts';
import { DiffText } from '../../parts/diff-text.tsx';
import { Button } from '../../parts/fields.tsx';
import { When } from '../../parts/times.tsx';
import { act } from '../../room/actions.ts';
import { useDraft } from '../../room/drafts.ts';
import { nameOfTask } from '../../room/task-rows.ts';

interface CardProps {
  mirror: Mirror;
  conflict: Mirror['conflicts'][number];
}

export function ConflictCard({ mirror: { provider, ref, name, task }, conflict }: CardProps) {
  const { id, field, standing, lost, lost_side: lostSide, version, at } = conflict;
  const own = useDraft<string>(`conflict ${id}`);
  const [isBusy, setBusy] = useState(false);
  const settle = async (take: 'standing' | 'lost' | 'own', text?: string) => {
    setBusy(true);
    const wish = { ref: task, conflict: id, take, version, ...defined({ text }) };
    if (await act('The conflict is settled', 'settle', wish)) own.discard();
    setBusy(false);
  };
  const [there, here] = [`From ${provider} ${ref}`, 'In the task’s file'];
  const isLostHere = lostSide === 'local';
  return (
    <article
      class="card edge tone-accent conflict stack"
      aria-label={`Conflict over the ${field} of ${nameOfTask(task, name)}`}
    >
      <p>
        <a href={addressOf(['task', task])}>
          <bdi>{nameOfTask(task, name)}</bdi>
        </a>{' '}
        · <strong>{field}</strong> ·{' '}
        <span class="muted">
          <When at={at} />
        </span>
      </p>
      <DiffText
        from={standing}
        to={lost}
        names={[`${isLostHere ? there : here}: stands now`, isLostHere ? `${here} before` : there]}
      />
      {own.value === null ? (
        <div class="wrap">
          <Button name="Keep what stands" kind="primary" disabled={isBusy} run={() => settle('standing')} />
          <Button name="Take the other" disabled={isBusy} run={() => settle('lost')} />
          <Button name="Edit …" kind="quiet" run={() => own.keep(standing)} />
        </div>
      ) : (
        <OwnText
          text={own.value}
          isBusy={isBusy}
          onText={own.keep}
          onDiscard={own.discard}
          onUse={(text) => settle('own', text)}
        />
      )}
    </article>
  );
}

interface OwnProps {
  text: string;
  isBusy: boolean;
  onText: (text: string) => void;
  onDiscard: () => void;
  onUse: (text: string) => unknown;
}

function OwnText({ text, isBusy, onText, onDiscard, onUse }: OwnProps) {
  return (
    <div class="fields stack">
      <label>
        A text of your own
        <textarea rows={6} value={text} onInput={({ currentTarget }) => onText(currentTarget.value)} />
      </label>
      <footer>
        <Button name="Discard" run={onDiscard} />
        <Button name="Use this text" kind="primary" disabled={isBusy} run={() => onUse(text)} />
      </footer>
    </div>
  );
}
