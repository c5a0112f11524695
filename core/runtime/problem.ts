import type { Problem } from '../../contract/jmap/core.ts';
import type { HttpResponse } from './http.ts';

/** Problem details (RFC 7807) as JMAP answers them (RFC 8620 §3.6.1); no cache keeps them. */
export const problemResponse = (problem: Problem, headers: Record<string, string> = {}): HttpResponse => ({
  statusCode: problem.status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(problem),
});

/** A problem for which JMAP has no type of its own. */
export const plainProblem = (status: number, detail: string): HttpResponse => problemResponse({ type: 'about:blank', status, detail });
