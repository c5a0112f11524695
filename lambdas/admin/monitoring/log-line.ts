/** What can be read from a line of a log, whoever wrote it: our Lambdas (JSON), the Lambda service, or API Gateway's log of requests (JSON). */
export type LogLineFacts = {
  readonly level?: string;
  readonly msg?: string;
  readonly correlation_id?: string;
  readonly aws_request_id?: string;
  /** API Gateway answered in place of a Lambda that did not. */
  readonly gatewayFailed: boolean;
};

type Json = { readonly [name: string]: unknown };

const jsonOf = (line: string): Json | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' && value !== '-' ? value : undefined);
/** The first of a line's fields that says something. */
const first = (line: Json, ...names: string[]): string | undefined => names.map((name) => text(line[name])).find((value) => value !== undefined);

const ofRequest = (line: Json): LogLineFacts => ({
  msg: first(line, 'integrationError') ?? `${text(line['routeKey']) ?? 'a request'} was answered with ${text(line['status']) ?? 'no status'}`,
  correlation_id: text(line['requestId']),
  gatewayFailed: /^5\d\d$/.test(text(line['status']) ?? '') && text(line['integrationError']) !== undefined,
});

const ofRecord = (line: Json): LogLineFacts => ({
  level: first(line, 'level')?.toUpperCase(),
  msg: first(line, 'message', 'msg', 'errorMessage'),
  correlation_id: first(line, 'correlation_id', 'correlationId'),
  aws_request_id: first(line, 'aws_request_id', 'function_request_id', 'requestId'),
  gatewayFailed: false,
});

/** `2026-11-21T08:38:00.000Z <request id> ERROR <text>`, parted by tabs: what the runtime writes of an exception that nobody caught. */
const ofRuntime = /^\S+Z?\t(?<request>\S+)\t(?<level>[A-Z]+)\t(?<msg>[^\t\n]*)/;
const requestId = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/;
/** What the Lambda service says of a call that did not end by itself. */
const endedBadly = /Task timed out|Runtime exited|Process exited before|Status: (?:timeout|error)/;

const ofText = (line: string): LogLineFacts => {
  const { request, level, msg } = ofRuntime.exec(line)?.groups ?? {};
  return {
    level: level ?? (endedBadly.test(line) ? 'ERROR' : undefined),
    msg: msg ?? line.split('\n')[0]?.slice(0, 500),
    aws_request_id: request ?? requestId.exec(line)?.[0],
    gatewayFailed: false,
  };
};

/** Never fails: a line that says nothing that we know has no facts. */
export const readLogLine = (line: string): LogLineFacts => {
  const json = jsonOf(line);
  if (!json) return ofText(line);
  return 'routeKey' in json && 'status' in json ? ofRequest(json) : ofRecord(json);
};

const errorLevels = new Set<unknown>(['ERROR', 'CRITICAL', 'FATAL']);

/** Whether something went wrong on our side; a call that was refused as it should be is no error. */
export const tellsOfError = ({ level, gatewayFailed }: LogLineFacts): boolean => gatewayFailed || errorLevels.has(level);

/** A word that every line which tells of an error has, for the search at CloudWatch. */
export const errorTerms = ['ERROR', 'CRITICAL', 'FATAL', 'Task timed out', 'Runtime exited', 'Process exited before', 'Status: timeout', 'Status: error'];
/** The same for API Gateway's log of requests. */
export const gatewayErrorTerms = ['500', '502', '503', '504'];
