// The ledger: the durable record of turns, requests and what was observed. One open handle a process.

import { type Database, type OpenOptions, openDatabase } from './database.ts';
import { createMetaTable, type MetaTable } from './meta.ts';
import { type ChoreMirrors, createChoreMirrors } from './mirrors/chore-mirrors.ts';
import { type ChoresTable, createChoresTable } from './mirrors/chores.ts';
import { createMirrorsTable, type MirrorsTable } from './mirrors/mirrors.ts';
import { createOutboxTable, type OutboxTable } from './mirrors/outbox.ts';
import { createSourcesTable, type SourcesTable } from './mirrors/sources.ts';
import { createVersionsTable, type VersionsTable } from './mirrors/versions.ts';
import { createWebhooksTable, type WebhooksTable } from './mirrors/webhooks.ts';
import { sharedCommitOf } from './shared-commit.ts';
import { type ArtifactsTable, createArtifactsTable } from './tasks/artifacts.ts';
import { type BlockersTable, createBlockersTable } from './tasks/blockers.ts';
import { type ChecksTable, createChecksTable } from './tasks/checks.ts';
import { type ConsequencesTable, createConsequencesTable } from './tasks/consequences.ts';
import { createFilesTable, type FilesTable } from './tasks/files.ts';
import { createLeftSubtasksTable, type LeftSubtasksTable } from './tasks/left-subtasks.ts';
import { createMakersTable, type MakersTable } from './tasks/makers.ts';
import { createPausesTable, type PausesTable } from './tasks/pauses.ts';
import { createQuestionsTable, type QuestionsTable } from './tasks/questions.ts';
import { createScopesTable, type ScopesTable } from './tasks/scopes.ts';
import { createSpokenCommentsTable, type SpokenCommentsTable } from './tasks/spoken-comments.ts';
import { createStepLinksTable, type StepLinksTable } from './tasks/step-links.ts';
import { createTasksTable, type TasksTable } from './tasks/tasks.ts';
import { createWakesTable, type WakesTable } from './tasks/wakes.ts';
import { type AskedTable, createAskedTable } from './turns/asked.ts';
import { createJobsTable, type JobsTable } from './turns/jobs.ts';
import { createLimitWaitsTable, type LimitWaitsTable } from './turns/limit-waits.ts';
import { createMessagesTable, type MessagesTable } from './turns/messages.ts';
import { createNoticesTable, type NoticesTable } from './turns/notices.ts';
import { createRequestsTable, type RequestsTable } from './turns/requests.ts';
import { createSessionsTable, type SessionsTable } from './turns/sessions.ts';
import { createSpendingTable, type SpendingTable } from './turns/spending.ts';
import { createTurnsTable, type TurnsTable } from './turns/turns.ts';
import { createWorkspacesTable, type WorkspacesTable } from './turns/workspaces.ts';
import { type BulksTable, createBulksTable } from './writes/bulks.ts';
import { createWritesTable, type WritesTable } from './writes/writes.ts';

export interface Ledger {
  readonly database: Database;
  readonly files: FilesTable;
  readonly tasks: TasksTable;
  readonly blockers: BlockersTable;
  readonly stepLinks: StepLinksTable;
  readonly leftSubtasks: LeftSubtasksTable;
  readonly wakes: WakesTable;
  readonly requests: RequestsTable;
  readonly turns: TurnsTable;
  readonly jobs: JobsTable;
  readonly spending: SpendingTable;
  readonly asked: AskedTable;
  readonly limitWaits: LimitWaitsTable;
  readonly sessions: SessionsTable;
  readonly messages: MessagesTable;
  readonly consequences: ConsequencesTable;
  readonly meta: MetaTable;
  readonly notices: NoticesTable;
  readonly bulks: BulksTable;
  readonly writes: WritesTable;
  readonly mirrors: MirrorsTable;
  readonly choreMirrors: ChoreMirrors;
  readonly spokenComments: SpokenCommentsTable;
  readonly versions: VersionsTable;
  readonly outbox: OutboxTable;
  readonly sources: SourcesTable;
  readonly webhooks: WebhooksTable;
  readonly chores: ChoresTable;
  readonly checks: ChecksTable;
  readonly artifacts: ArtifactsTable;
  readonly questions: QuestionsTable;
  readonly scopes: ScopesTable;
  readonly makers: MakersTable;
  readonly pauses: PausesTable;
  readonly workspaces: WorkspacesTable;
  transaction<T>(body: () => T): T;
  /**
   * Runs `body` in a transaction shared with all that is asked for in the same turn of the event loop; resolves when it
   * is on disk. Rejects with what `body` throws, and with RoomError `locked` or `io` when the transaction fails.
   */
  together<T>(body: () => T): Promise<T>;
  close(): void;
}

/**
 * Opens (and creates) the ledger at `path`.
 * @throws RoomError as {@link openDatabase}.
 */
export function openLedger(path: string, options: OpenOptions = {}): Ledger {
  const database = openDatabase(path, options);
  const shared = sharedCommitOf(database);
  const requests = createRequestsTable(database);
  return {
    database,
    files: createFilesTable(database),
    tasks: createTasksTable(database),
    blockers: createBlockersTable(database),
    stepLinks: createStepLinksTable(database),
    leftSubtasks: createLeftSubtasksTable(database),
    wakes: createWakesTable(database),
    requests,
    turns: createTurnsTable(database, requests),
    jobs: createJobsTable(database),
    spending: createSpendingTable(database),
    asked: createAskedTable(database),
    limitWaits: createLimitWaitsTable(database),
    sessions: createSessionsTable(database),
    messages: createMessagesTable(database),
    consequences: createConsequencesTable(database),
    meta: createMetaTable(database),
    notices: createNoticesTable(database),
    bulks: createBulksTable(database),
    writes: createWritesTable(database),
    mirrors: createMirrorsTable(database),
    choreMirrors: createChoreMirrors(database),
    spokenComments: createSpokenCommentsTable(database),
    versions: createVersionsTable(database),
    outbox: createOutboxTable(database),
    sources: createSourcesTable(database),
    webhooks: createWebhooksTable(database),
    chores: createChoresTable(database),
    checks: createChecksTable(database),
    artifacts: createArtifactsTable(database),
    questions: createQuestionsTable(database),
    scopes: createScopesTable(database),
    makers: createMakersTable(database),
    pauses: createPausesTable(database),
    workspaces: createWorkspacesTable(database),
    transaction: (body) => database.transaction(body),
    together: (body) => shared.join(body),
    close() {
      shared.flush();
      database.close();
    },
  };
}
