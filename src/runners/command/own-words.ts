// What a program that is nobody's preset tells about itself, in lines of its output:
//
//   taskroom: usage input=1200 output=340 cost=0.02        what it used so far in this turn; the last such line counts
//   taskroom: rate limited until 2026-11-22T15:00:00Z      with exit code 75 (EX_TEMPFAIL of sysexits.h): try me then
import type { TurnUsage } from '../../core/rules/turn.ts';
import type { Outcome } from '../runner.ts';

const EX_TEMPFAIL = 75;
const USAGE = /^taskroom: usage\b(.*)$/gm;
const LIMITED = /^taskroom: rate limited(?: until (\S+))?[ \t]*\r?$/gm;
const AMOUNT = /\b(input|output|cost)=(\d+(?:\.\d+)?)/g;

/** The last usage that whole lines of the output tell; null for none. */
export function readOwnUsage(output: string): TurnUsage | null {
  const whole = output.slice(0, output.lastIndexOf('\n') + 1);
  const last = [...whole.matchAll(USAGE)].at(-1)?.[1];
  if (last === undefined) return null;
  const said = new Map([...last.matchAll(AMOUNT)].map(([, key, amount]) => [key, Number(amount)]));
  if (said.size === 0) return null;
  return {
    inputTokens: Math.round(said.get('input') ?? 0),
    outputTokens: Math.round(said.get('output') ?? 0),
    costUsd: said.get('cost') ?? null,
  };
}

/** An end with exit code 75 and the line above is no failure of the program: its usage limit was reached. */
export function asOwnLimit(outcome: Outcome, output: string): Outcome {
  if (outcome.reason !== 'exit' || outcome.exitCode !== EX_TEMPFAIL) return outcome;
  const last = [...output.matchAll(LIMITED)].at(-1);
  if (last === undefined) return outcome;
  const until = Date.parse(last[1] ?? '');
  const told = Number.isNaN(until) ? null : until;
  const message =
    told === null ? 'its usage limit is reached' : `its usage limit is reached until ${last[1]}`;
  return { ...outcome, reason: 'rate_limited', message, until: told };
}
