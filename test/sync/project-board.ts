// A mirror of a GitHub repository whose issues have cards in the project `acme/4`.
import { expect } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { addProject, columnOf, setField } from '../support/github-server/projects.ts';
import type { StoredField } from '../support/github-server/state.ts';
import { openGithubMirror, refOf } from './server-mirror.ts';

const COLUMNS = ['Todo', 'In progress', 'In review', 'Blocked', 'Done', 'Shipped'];
export const TABLE = { todo: 'Todo', doing: 'In progress', done: 'Done' };

interface Given {
  table?: Record<string, string>;
  column?: string;
  fields?: Record<string, StoredField['dataType']>;
}

/** With one issue that is in sync, in a column if one is named. */
export async function openBoard({ table = TABLE, column, fields }: Given = {}) {
  const options = { project: 'acme/4', project_statuses: table };
  const rig = await openGithubMirror({ options, filter: { labels: [], assignee: null, state: 'all' } });
  const { server, room } = rig;
  room.settings.statuses = { review: 'doing', shipped: 'done' };
  const project = addProject(server.state, 'acme/4', COLUMNS, fields);
  const issue = openIssue(server.state, rig.repo, { title: 'One' });
  const ref = refOf(issue);
  const move = (to: string) => setField(server.state, project, issue, 'Status', to);
  if (column !== undefined) move(column);
  expect((await rig.run()).error).toBeNull();
  rig.tick();
  return {
    ...rig,
    ...{ project, ref, move },
    one: issue,
    /** What stands in the file. */
    word: (of = ref) => /^status: (.*)$/m.exec(room.read(rig.pathOf(of)))![1],
    set: (status: string) => room.call('set', { ref: rig.taskOf(ref), status }),
    column: () => columnOf(project, issue),
    /** Names of the mutations, and what was written over REST. */
    written: () =>
      server.served.flatMap(({ method, route, body }) => {
        if (route !== 'POST /graphql') return method === 'GET' || route === '' ? [] : [route];
        const [name = ''] = Object.keys((body as { data?: object }).data ?? {});
        return name.endsWith('FieldValue') || name.startsWith('add') ? [name] : [];
      }),
  };
}
