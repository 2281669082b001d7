// The root fields that write, handed on to `emulate`, and answered with what it then holds.
import { byId } from '../linear-server/records.ts';
import { createSession } from '../linear-server/session.ts';
import { CommentView, IssueView, LabelView } from '../linear-server/views.ts';
import type { ClientIds } from './client-ids.ts';
import type { Call } from './emulator.ts';
import { readSnapshot } from './snapshot.ts';

interface Input {
  id?: string | null;
  [field: string]: unknown;
}
interface IssueUpdate extends Input {
  addedLabelIds?: string[] | null;
  removedLabelIds?: string[] | null;
}

type Made<Field extends string> = Record<Field, { id: string }>;

const DONE = { success: true, lastSyncId: 0 };

/** Root fields of `Mutation` for one request. */
export function createMutations(call: Call, ids: ClientIds) {
  async function look() {
    const { state, viewerId } = await readSnapshot(call, ids);
    return { state, session: createSession(state, viewerId) };
  }

  /** Creates by the document and answers the new entity's id, as the client knows it. */
  async function create(document: string, field: string, { id, ...input }: Input): Promise<string> {
    ids.assertFresh(id);
    const answer = await call<Record<string, Made<string>>>(document, { input });
    const [payload] = Object.values(answer);
    ids.pair(id, payload![field]!.id);
    return ids.toClient(payload![field]!.id);
  }

  return {
    async issueCreate({ input }: { input: Input }) {
      const document = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`;
      const id = await create(document, 'issue', input);
      const { state, session } = await look();
      return { ...DONE, issue: new IssueView(session, byId(state.issues, id)) };
    },
    async issueUpdate({ id, input }: { id: string; input: IssueUpdate }) {
      const { addedLabelIds, removedLabelIds, ...rest } = input;
      const labelIds = await labelsAfter(id, addedLabelIds ?? [], removedLabelIds ?? []);
      await call(
        'mutation($id: String, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
        { id: ids.toEmulate(id), input: { ...rest, ...labelIds } },
      );
      const { state, session } = await look();
      return { ...DONE, issue: new IssueView(session, byId(state.issues, id)) };
    },
    async commentCreate({ input }: { input: Input & { issueId: string } }) {
      const document = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }`;
      const id = await create(document, 'comment', { ...input, issueId: ids.toEmulate(input.issueId) });
      const { state, session } = await look();
      return { ...DONE, comment: new CommentView(session, byId(state.comments, id)) };
    },
    async commentUpdate({ id, input }: { id: string; input: Input }) {
      await call(
        'mutation($id: String, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }',
        { id: ids.toEmulate(id), input },
      );
      const { state, session } = await look();
      return { ...DONE, comment: new CommentView(session, byId(state.comments, id)) };
    },
    async issueLabelCreate({ input }: { input: Input }) {
      const document = `mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }`;
      const id = await create(document, 'issueLabel', input);
      const { state, session } = await look();
      return { ...DONE, issueLabel: new LabelView(session, byId(state.labels, id)) };
    },
  };

  /** `emulate` takes the labels of an issue as a whole. */
  async function labelsAfter(id: string, added: readonly string[], removed: readonly string[]) {
    if (added.length === 0 && removed.length === 0) return {};
    const { state } = await look();
    const all = new Set([...byId(state.issues, id).labelIds, ...added]);
    return { labelIds: [...all].filter((label) => !removed.includes(label)).map(ids.toEmulate) };
  }
}
