// What --json prints of jobs.

import { isoOrNull } from '../../core/time/iso-time.ts';
import type { JobReading, JobView } from '../../tasks/contract/jobs.ts';

export function jobJson(job: JobView) {
  return {
    id: job.id,
    kind: job.kind,
    thread: job.thread,
    task: job.task,
    turn: job.turn,
    agent: job.agent,
    command: job.command,
    description: job.description,
    keep: job.keep,
    watch: job.watch,
    state: job.state,
    reason: job.reason,
    asked_at: isoOrNull(job.askedAt),
    started_at: isoOrNull(job.startedAt),
    ended_at: isoOrNull(job.endedAt),
    paused_ms: job.pausedMs,
    exit_code: job.exitCode,
    signal: job.signal,
    pid: job.pid,
    message: job.message,
    tool_call: job.toolCall,
    told: job.told,
    output_path: job.outputPath,
  };
}

/** `job show`. */
export function jobReadingJson({ output, ...job }: JobReading) {
  return { ...jobJson(job), output: output.text, output_offset: output.next, output_bytes: output.size };
}
