// The ledger's schema: every table of it, as each is declared.
import { META } from './meta.ts';
import { CHORES } from './mirrors/chores.ts';
import { CONFLICTS } from './mirrors/conflicts.ts';
import { MIRRORS } from './mirrors/mirrors.ts';
import { OUTBOX } from './mirrors/outbox.ts';
import { SOURCES } from './mirrors/sources.ts';
import { SYNC_DAYS } from './mirrors/sync-days.ts';
import { RESTORED, VERSIONS } from './mirrors/versions.ts';
import { WEBHOOK_MARKS, WEBHOOKS } from './mirrors/webhooks.ts';
import type { AnyTable } from './table.ts';
import { ARTIFACTS, PLAN_TASKS } from './tasks/artifacts.ts';
import { CHECK_WAIVERS, SAID_WORDS, TURN_CHECKS } from './tasks/checks.ts';
import { CONSEQUENCES } from './tasks/consequences.ts';
import { FILES } from './tasks/files.ts';
import { LEFT_SUBTASKS } from './tasks/left-subtasks.ts';
import { MAKERS } from './tasks/makers.ts';
import { PAUSES } from './tasks/pauses.ts';
import { QUESTIONS } from './tasks/questions.ts';
import { BLOCKERS, STEP_LINKS } from './tasks/references.ts';
import { SCOPES } from './tasks/scopes.ts';
import { SPOKEN } from './tasks/spoken-comments.ts';
import { TASKS } from './tasks/tasks.ts';
import { WAKES } from './tasks/wakes.ts';
import { TOKENS } from './tokens.ts';
import { ASKED } from './turns/asked.ts';
import { DISPATCHED, WORKERS } from './turns/dispatched.ts';
import { JOBS } from './turns/jobs.ts';
import { LET_PASS, LIMIT_WAITS } from './turns/limit-waits.ts';
import { MESSAGES } from './turns/messages.ts';
import { NOTICES } from './turns/notices.ts';
import { REQUESTS } from './turns/requests.ts';
import { SESSIONS } from './turns/sessions.ts';
import { SPENT } from './turns/spending.ts';
import { TURN_CALLS, TURNS } from './turns/turn-rows.ts';
import { WORKSPACES } from './turns/workspaces.ts';
import { BULKS } from './writes/bulks.ts';
import { ENTRIES } from './writes/entries.ts';
import { WRITES } from './writes/write-rows.ts';

export const TABLES: readonly AnyTable[] = [
  ...[
    META,
    FILES,
    TASKS,
    BLOCKERS,
    STEP_LINKS,
    LEFT_SUBTASKS,
    WAKES,
    PAUSES,
    MAKERS,
    QUESTIONS,
    SCOPES,
    SPOKEN,
  ],
  ...[CONSEQUENCES, ARTIFACTS, PLAN_TASKS, SAID_WORDS, TURN_CHECKS, CHECK_WAIVERS],
  ...[REQUESTS, TURNS, TURN_CALLS, SPENT, LIMIT_WAITS, LET_PASS, SESSIONS, JOBS, MESSAGES, NOTICES, ASKED],
  ...[WORKSPACES, DISPATCHED, WORKERS, TOKENS, BULKS, WRITES, ENTRIES],
  ...[CHORES, SOURCES, MIRRORS, OUTBOX, CONFLICTS, VERSIONS, RESTORED, WEBHOOKS, WEBHOOK_MARKS, SYNC_DAYS],
];
