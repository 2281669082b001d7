// Everything that needs the person, by kind, each with what settles it here: an answer typed in place, or one button.
import { addressOf } from '../../address.ts';
import type { InboxItem } from '../../api/shapes.ts';
import { AnswerForm } from '../../parts/answer-form.tsx';
import { CardRow } from '../../parts/blocks.tsx';
import { Button, ButtonLink } from '../../parts/fields.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/times.tsx';
import { act, onTask } from '../../room/actions.ts';

const KINDS: Readonly<Record<string, readonly [name: string, tone?: string]>> = {
  question: ['Questions', 'accent'],
  paused: ['Paused', 'failed'],
  trust: ['Words of strangers'],
  rights: ['Changed while a turn ran'],
  held: ['Held'],
  conflict: ['Conflicts', 'accent'],
  invalid: ['Files that can’t be read', 'failed'],
  setup: ['Setup', 'failed'],
  trouble: ['Trouble', 'failed'],
  tracker: ['Trackers'],
  notice: ['Messages'],
};

export function InboxList({ items }: { items: readonly InboxItem[] }) {
  if (items.length === 0)
    return (
      <Empty title="Nothing needs you">Questions of agents, pauses, conflicts and trouble come here.</Empty>
    );
  const groups = Map.groupBy(items, ({ kind }) => kind);
  return [...groups].map(([kind, group]) => (
    <div key={kind} class="stack">
      <h3>{KINDS[kind]?.[0] ?? kind}</h3>
      <ul class="stack">
        {group.map((item) => (
          <InboxRow key={item.key} item={item} />
        ))}
      </ul>
    </div>
  ));
}

function InboxRow({ item }: { item: InboxItem }) {
  const { kind, task, name, text, at } = item;
  const [title, tone] = KINDS[kind] ?? [kind];
  return (
    <CardRow
      class={`inbox-${kind} ${tone ? `edge tone-${tone}` : ''}`}
      href={task && addressOf(['task', task])}
      name={name ?? title}
      facts={<When at={at} />}
      side={<Settle item={item} />}
    >
      <bdi class="below">{text}</bdi>
    </CardRow>
  );
}

function Settle({ item: { kind, task, key, text, settle } }: { item: InboxItem }) {
  switch (kind) {
    case 'question':
      return task && <AnswerForm task={task} question={key.slice(`question:${task}:`.length)} about={text} />;
    case 'paused':
      return task && <Button name="Resume" run={() => onTask(task, 'The task goes on', 'resume')} />;
    case 'trust':
      return task && <ButtonLink name="Look at it" href={addressOf(['task', task])} />;
    case 'rights':
      return <Button name="Accept" run={() => act('Accepted', 'accept', { what: key })} />;
    case 'held':
      return <Button name="Run them" run={() => act('What was held runs', 'release', {})} />;
    case 'conflict':
      return <ButtonLink name="Compare" href={addressOf(['mirrors'], { state: 'conflict' })} />;
    case 'notice': {
      const seqs = [Number(key.slice('notice:'.length))];
      return <Button name="Seen" kind="quiet" run={() => act('Seen', 'markNoticesTold', { seqs })} />;
    }
    default:
      return <code>{settle}</code>;
  }
}
