// The stages beside the turns of tasks: chores by their own schedule, local changes on their way upstream, and what
// agents told the person, and the documents in artifacts/.
import type { Chores } from '../../chores/chores.ts';
import { createAlarm } from '../alarm.ts';
import { createChoreLoop } from '../chore/chore-loop.ts';
import { type ArtifactLooks, createArtifactLooks } from '../upkeep/artifact-looks.ts';
import { createInboxNews, type InboxNews } from '../upkeep/inbox-news.ts';
import { createNotices, type Notices } from '../upkeep/notices.ts';
import type { Base } from './loop-base.ts';
import type { TurnStages } from './turn-stages.ts';
import { createUpstreamPushes, type Pushes } from './upstream-pushes.ts';
import { createWebhookNews, type WebhookNews } from './webhook-news.ts';

/** What runs by itself beside the turns of tasks. */
export interface ChoreStages {
  chores: Chores;
  pushes: Pushes;
  notices: Notices;
  inboxNews: InboxNews;
  webhookNews: WebhookNews;
  artifacts: ArtifactLooks;
}

export function createChoreStages(base: Base, { scheduler, running }: TurnStages): ChoreStages {
  const { dependencies, mode, known, idle, feedback, onTrouble } = base;
  const { deps, syncChore, pushChore } = dependencies;
  const { once } = mode;
  const chores = createChoreLoop({
    deps,
    known,
    running,
    scheduler,
    syncChore,
    feedback,
    idle,
    once,
    onTrouble,
  });
  const pushes = createUpstreamPushes({
    effects: deps.effects,
    mirrors: dependencies,
    push: (chore, signal) => pushChore(chore, signal).finally(feedback.synced),
    idle,
    keep: base.persistence.keep,
    onTrouble,
  });
  const alarm = createAlarm(deps.effects, onTrouble);
  const notices = createNotices({ deps, alarm, send: dependencies.sendNotice, idle, onTrouble });
  const webhookNews = createWebhookNews({
    effects: deps.effects,
    chores: known.list,
    sync: (chore, issues, signal) => dependencies.syncTold(chore, issues, signal).finally(feedback.synced),
    idle,
    onTrouble,
  });
  const inboxNews = createInboxNews({ deps, tasks: dependencies.tasks, notices, onTrouble });
  const { takeInArtifacts: takeIn } = dependencies;
  const artifacts = createArtifactLooks({ deps, takeIn, once, feedback, idle, onTrouble });
  return { chores, pushes, notices, inboxNews, webhookNews, artifacts };
}
