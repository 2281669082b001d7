// Linear for the conformance suite on `emulate`, which nobody here wrote, behind a shim that adds what it has not. People
// go to `emulate` itself.
import { createEmulator } from 'emulate';
import { FIELDS } from '../../../src/core/chore/fields.ts';
import type { Priority } from '../../../src/core/task/status.ts';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { RemoteRef } from '../../../src/providers/provider.ts';
import type { People, PersonEdit, ProviderHarness } from '../../conformance/provider-harness.ts';
import { startLinearShim } from '../../support/linear-emulate/shim.ts';
import { effectsWith, sourceOn } from './harness.ts';

/** A team of its own: the emulator brings one with an issue in it. */
const TEAM = 'OWN';
const PRIORITIES: Record<Priority, number> = { high: 2, medium: 3, low: 4 };
const STATES = [
  { name: 'Todo', status: 'todo', type: 'unstarted' },
  { name: 'Backlog', status: 'draft', type: 'backlog' },
  { name: 'In Progress', status: 'doing', type: 'started' },
  { name: 'In Review', status: 'doing', type: 'started' },
  { name: 'Done', status: 'done', type: 'completed' },
  { name: 'Canceled', status: 'canceled', type: 'canceled' },
] as const;

const SEED = {
  linear: {
    users: [
      { email: 'bot@example.com', name: 'Bot', display_name: 'bot' },
      { email: 'ann@example.com', name: 'Ann', display_name: 'ann' },
    ],
    teams: [{ key: TEAM, name: 'Own', states: STATES.map(({ name, type }) => ({ name, type })) }],
    tokens: [
      { token: 'bots-token', user: 'bot@example.com' },
      { token: 'anns-token', user: 'ann@example.com' },
    ],
  },
};

type Nodes<T> = { nodes: T[] };
interface Named {
  id: string;
  name: string;
}

async function peopleOn(endpoint: string, toEmulate: (id: string) => string): Promise<People> {
  async function call<T>(query: string, variables: object = {}): Promise<T> {
    const headers = { authorization: 'anns-token', 'content-type': 'application/json' };
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: { message: string }[] };
    if (errors) throw new Error(errors[0]!.message);
    return data;
  }

  interface Known {
    teams: Nodes<Named & { key: string; states: Nodes<Named> }>;
    users: Nodes<Named & { displayName: string }>;
  }
  const known = await call<Known>(
    '{ teams(first: 99) { nodes { id name key states { nodes { id name } } } } users { nodes { id name displayName } } }',
  );
  const team = known.teams.nodes.find(({ key }) => key === TEAM)!;

  async function labelId(name: string): Promise<string> {
    const { issueLabels } = await call<{ issueLabels: Nodes<Named> }>(
      '{ issueLabels(first: 99) { nodes { id name } } }',
    );
    const found = issueLabels.nodes.find((label) => label.name === name);
    if (found) return found.id;
    const make =
      'mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }';
    type Made = { issueLabelCreate: { issueLabel: Named } };
    return (await call<Made>(make, { input: { name, teamId: team.id } })).issueLabelCreate.issueLabel.id;
  }

  async function toInput(edit: PersonEdit): Promise<Record<string, unknown>> {
    const { title, body, state, labels, assignees, priority, due } = edit;
    const nameOf = (word: string) => known.users.nodes.find(({ displayName }) => displayName === word)!.id;
    return {
      ...(title === undefined ? {} : { title }),
      ...(body === undefined ? {} : { description: body }),
      ...(state === undefined ? {} : { stateId: team.states.nodes.find(({ name }) => name === state)!.id }),
      ...(labels ? { labelIds: await Promise.all(labels.map(labelId)) } : {}),
      ...(assignees ? { assigneeId: assignees[0] === undefined ? null : nameOf(assignees[0]) } : {}),
      ...(priority === undefined ? {} : { priority: priority === null ? 0 : PRIORITIES[priority] }),
      ...(due === undefined ? {} : { dueDate: due }),
    };
  }

  interface Told {
    issue: {
      title: string;
      description: string | null;
      comments: Nodes<{ id: string; body: string; user: { displayName: string } }>;
    } | null;
  }

  return {
    async createIssues(drafts) {
      const refs: RemoteRef[] = [];
      for (const draft of drafts) {
        const input = { teamId: team.id, ...(await toInput(draft)) };
        const query =
          'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }';
        type Made = { issueCreate: { issue: { identifier: string } } };
        refs.push((await call<Made>(query, { input })).issueCreate.issue.identifier);
      }
      return refs;
    },
    async editIssue(ref, edit) {
      const query =
        'mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }';
      await call(query, { id: ref, input: await toInput(edit) });
    },
    async look(ref) {
      const query = `query($id: String!) {
        issue(id: $id) { title description comments(first: 250) { nodes { id body user { displayName } } } }
      }`;
      const { issue } = await call<Told>(query, { id: ref });
      if (!issue) return null;
      const comments = issue.comments.nodes.map(({ id, body, user }) => ({
        id,
        body,
        author: user.displayName,
      }));
      return { title: issue.title, body: issue.description ?? '', comments };
    },
    async deleteIssue(ref) {
      await call('mutation($id: String!) { issueDelete(id: $id) { success } }', { id: ref });
    },
    async titles() {
      const query = '{ issues(first: 250) { nodes { title identifier } } }';
      const { issues } = await call<{ issues: Nodes<{ title: string; identifier: string }> }>(query);
      return issues.nodes.filter(({ identifier }) => identifier.startsWith(TEAM)).map(({ title }) => title);
    },
    async addComments(ref, bodies) {
      const ids: string[] = [];
      for (const body of bodies) {
        const query =
          'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }';
        type Made = { commentCreate: { comment: { id: string } } };
        ids.push((await call<Made>(query, { input: { issueId: ref, body } })).commentCreate.comment.id);
        // Its ids are random, so that two in one millisecond have no order.
        const now = Date.now();
        while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
      }
      return ids;
    },
    async editComment(_ref, id, body) {
      const query =
        'mutation($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }';
      await call(query, { id: toEmulate(id), input: { body } });
    },
    async deleteComment(_ref, id) {
      await call('mutation($id: String!) { commentDelete(id: $id) { success } }', { id: toEmulate(id) });
    },
  };
}

/** A fresh emulator on a free port. It knows no relations, takes any key, and its time can't be moved. */
export async function openLinearEmulateHarness(): Promise<ProviderHarness> {
  const emulator = await createEmulator({ service: 'linear', port: 0, seed: SEED });
  const endpoint = `${emulator.url}/graphql`;
  const shim = await startLinearShim(endpoint);
  const fields = FIELDS.filter((field) => field !== 'parent' && field !== 'blocked_by');
  return {
    factory: linearFactory,
    config: (change) => sourceOn(shim.url, { source: TEAM, fields, ...change }),
    effects: effectsWith({ LINEAR_API_KEY: 'bots-token' }),
    noCredentials: effectsWith({}),
    people: await peopleOn(endpoint, shim.toEmulate),
    fields,
    states: STATES.map(({ name, status }) => ({ name, status })),
    account: 'bot',
    absentRef: `${TEAM}-99999`,
    async close() {
      await shim.close();
      await emulator.close();
    },
  };
}
