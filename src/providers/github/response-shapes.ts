// What of GitHub's answers is read, and its shape: a server that answers otherwise is told apart from one that says no.
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';

const time = z.string().transform((text, context) => {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  context.addIssue({ code: 'custom', message: 'is not a time' });
  return z.NEVER;
});

/** Null for an account that was deleted. */
const account = z.object({ login: z.string() }).nullish();
const label = z.union([z.string(), z.object({ name: z.string() })]);

const issue = z.object({
  id: z.number(),
  node_id: z.string(),
  number: z.number(),
  html_url: z.string().nullish(),
  repository_url: z.string().nullish(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  state_reason: z.string().nullish(),
  user: account,
  author_association: z.string().nullish(),
  labels: z.array(label).default([]),
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  type: z.object({ name: z.string() }).nullish(),
  locked: z.boolean().nullish(),
  comments: z.number().nullish(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
  created_at: time,
  updated_at: time,
  parent_issue_url: z.string().nullish(),
  sub_issues_summary: z.object({ total: z.number() }).nullish(),
  issue_dependencies_summary: z.object({ total_blocked_by: z.number() }).nullish(),
});
export type WireIssue = z.output<typeof issue>;

const comment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: account,
  author_association: z.string().nullish(),
  html_url: z.string().nullish(),
  issue_url: z.string(),
  created_at: time,
  updated_at: time,
});
export type WireComment = z.output<typeof comment>;

function reader<T>(schema: z.ZodType<T>, what: string): (data: unknown) => T {
  return (data) => {
    const read = schema.safeParse(data);
    if (read.success) return read.data;
    const { path, message } = read.error.issues[0]!;
    throw new RoomError('unavailable', `the server's answer is not ${what}: ${path.join('.')}: ${message}`);
  };
}

export const readIssue = reader(issue, 'an issue');
export const readIssues = reader(z.array(issue), 'a list of issues');
export const readComment = reader(comment, 'a comment');
export const readComments = reader(z.array(comment), 'a list of comments');
export const readLogin = reader(z.object({ login: z.string() }), 'an account');

/** Null for an account that was deleted. */
const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
export type WireActor = z.output<typeof actor>;
const acts = z.object({
  lastEditedAt: time.nullable(),
  editor: actor,
  userContentEdits: z.object({ nodes: z.array(z.object({ editedAt: time, editor: actor })) }),
  timelineItems: z.object({ nodes: z.array(z.object({ __typename: z.string(), createdAt: time, actor })) }),
});
export const readActs = reader(
  z.object({
    data: z.object({ repository: z.object({ issueOrPullRequest: acts.nullable() }).nullable() }).nullish(),
  }),
  'a history',
);
export const readErrors = reader(
  z.object({ errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).default([]) }),
  'an answer',
);
export const readViewer = reader(
  z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) }),
  'an account',
);
export const readSlug = reader(z.object({ slug: z.string() }), 'an app');
export const readInstallation = reader(z.object({ id: z.number() }), 'an installation');
const pull = z.object({
  number: z.number(),
  node_id: z.string(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  mergeable: z.boolean().nullish(), // Only of one that is asked for by itself.
  head: z.object({ ref: z.string(), sha: z.string() }),
});
export type WirePull = z.output<typeof pull>;
export const readPull = reader(pull, 'a pull request');
export const readPulls = reader(z.array(pull), 'a list of pull requests');
const repository = z.object({
  default_branch: z.string(),
  // Only credentials that may merge see these.
  ...{ allow_merge_commit: z.boolean().optional(), allow_squash_merge: z.boolean().optional() },
});
export const readRepository = reader(repository, 'a repository');
export const readFullName = reader(z.object({ full_name: z.string() }), 'a repository');

const said = z.object({
  id: z.number(),
  user: account,
  body: z.string().nullish(),
  author_association: z.string().nullish(),
  html_url: z.string().nullish(),
});
/** `submitted_at` is null while nobody but its author sees it. */
const review = said.extend({ state: z.string().toLowerCase(), submitted_at: time.nullish() });
const remark = said.extend({
  in_reply_to_id: z.number().nullish(),
  path: z.string(),
  line: z.number().nullish(),
  diff_hunk: z.string(),
  created_at: time,
});
export const readReviews = reader(z.array(review), 'a list of reviews');
export const readRemarks = reader(z.array(remark), 'a list of comments on lines');
export type WireReview = z.output<typeof review>;
export type WireRemark = z.output<typeof remark>;

const checkRun = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  html_url: z.string().nullish(),
  app: z.object({ slug: z.string().nullish() }).nullish(),
  output: z.object({ summary: z.string().nullish(), text: z.string().nullish() }).nullish(),
});
export type WireCheckRun = z.output<typeof checkRun>;
export const readCheckRuns = reader(z.object({ check_runs: z.array(checkRun) }), 'a list of checks');

/** Null stands for what the credentials may not see. */
const nodesOf = <Node extends z.ZodType>(node: Node) =>
  z.object({ nodes: z.array(node.nullable()).transform((nodes) => nodes.filter((one) => one !== null)) });
const named = z.object({ id: z.string(), name: z.string() });
/** What says nothing of its field is none of the project's own. */
const fieldValue = z.object({
  updatedAt: time.optional(),
  field: z.object({ name: z.string(), dataType: z.string() }).optional(),
  ...{ text: z.string().nullish(), number: z.number().nullish(), date: z.string().nullish() },
  ...{ name: z.string().nullish(), title: z.string().nullish() },
});
const home = z.object({ id: z.string() });
const projectItem = z.object({
  ...{ id: z.string(), isArchived: z.boolean(), updatedAt: time, fieldValues: nodesOf(fieldValue) },
  project: home.optional(),
  content: z.object({ id: z.string(), number: z.number(), repository: home }).partial().nullish(),
});
export type WireItem = z.output<typeof projectItem>;
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const project = z.object({
  ...{ id: z.string(), viewerCanUpdate: z.boolean() },
  fields: nodesOf(named.extend({ options: z.array(named).optional() })),
  items: nodesOf(projectItem).extend({ pageInfo }).optional(),
});
const projects = nodesOf(z.object({ number: z.number(), title: z.string() }));
const projectAnswer = z.object({
  repositoryOwner: z.object({ projectV2: project.nullish(), projectsV2: projects.nullish() }).nullable(),
  repository: home.nullish(),
  node: z.object({ projectItems: nodesOf(projectItem) }).nullish(),
});
export const readProject = reader(z.object({ data: projectAnswer }), 'a project');
export const readAdded = reader(
  z.object({ data: z.object({ addProjectV2ItemById: z.object({ item: home }) }) }),
  'an item of a project',
);
