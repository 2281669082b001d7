// What opens rights and waits for the person's word.
import type { InboxItem } from '../shapes/inbox.ts';
import type { TaskRoom } from '../task-room.ts';
import { readUnsaid } from '../unsaid.ts';

export function unsaidItems(deps: Pick<TaskRoom, 'ledger' | 'agents'>): InboxItem[] {
  return readUnsaid(deps).map(({ what, task, name, hash, text }) => ({
    ...{ kind: 'rights', key: `rights:${hash}`, name, text, at: null },
    task: task as InboxItem['task'],
    settle: `taskroom accept ${/^[\w./-]+$/.test(what) ? what : JSON.stringify(what)}`,
  }));
}
