import { CloudWatchLogsClient, paginateDescribeLogGroups, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { awsClientConfig, type AwsTarget } from './aws-target.ts';

export type LogLine = { readonly lambda: string; readonly at: number; readonly message: string };

type LambdaLogs = {
  /** Names of the stack's Lambdas, without the stack's name. */
  lambdas(): Promise<string[]>;
  /** A Lambda's log lines since a time (milliseconds since 1970), oldest first. */
  read(lambda: string, since: number): Promise<LogLine[]>;
  close(): void;
};

/** The names of all log groups that begin with the prefix. */
export const logGroups = async (client: CloudWatchLogsClient, logGroupNamePrefix?: string): Promise<string[]> => {
  const names: string[] = [];
  for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix })) {
    names.push(...(page.logGroups ?? []).map((group) => group.logGroupName ?? ''));
  }
  return names;
};

/** The lines of a log group since a time (milliseconds since 1970). */
export const logLines = async (client: CloudWatchLogsClient, logGroupName: string, startTime?: number): Promise<Omit<LogLine, 'lambda'>[]> => {
  const lines: Omit<LogLine, 'lambda'>[] = [];
  for await (const page of paginateFilterLogEvents({ client }, { logGroupName, startTime })) {
    lines.push(...(page.events ?? []).map((event) => ({ at: event.timestamp ?? 0, message: (event.message ?? '').trimEnd() })));
  }
  return lines;
};

/** Opens the logs of the stack's Lambdas in CloudWatch Logs. */
export const openLambdaLogs = (aws: AwsTarget, stackName: string): LambdaLogs => {
  const client = new CloudWatchLogsClient(awsClientConfig(aws));
  const prefix = `/aws/lambda/${stackName}-`;
  return {
    async lambdas() {
      return (await logGroups(client, prefix)).map((name) => name.slice(prefix.length)).sort();
    },
    async read(lambda, since) {
      return (await logLines(client, prefix + lambda, since)).map((line) => ({ lambda, ...line })).sort((a, b) => a.at - b.at);
    },
    close: () => client.destroy(),
  };
};

type LogRecord = { level?: string; message?: string; error_name?: string; error?: { name?: string; message?: string } };

const parseLogRecord = (message: string): LogRecord | undefined => {
  try {
    const record: LogRecord = JSON.parse(message);
    return record;
  } catch {
    return undefined;
  }
};

/** The failure that a log line reports; undefined for any other line. */
export const failureInLogLine = (message: string): string | undefined => {
  const record = parseLogRecord(message);
  if (record) {
    if (record.level !== 'ERROR' && record.level !== 'CRITICAL') return undefined;
    return [record.message, record.error_name, record.error && `${record.error.name}: ${record.error.message}`].filter(Boolean).join(': ');
  }
  return /\bTask timed out\b|\bRuntime\.\w+|\bUncaught\b|\bUnhandled\b/.test(message) ? message.split('\n')[0] : undefined;
};

/** Checks the Lambdas' logs for failures every few seconds. @returns a function that stops it. */
export const watchFailures = (logs: LambdaLogs, onFailure: (line: LogLine, failure: string) => void, milliseconds = 3000): (() => void) => {
  const seen = new Set<string>();
  const startedAt = Date.now();
  let isChecking = false;
  const checkLogs = async (): Promise<void> => {
    const since = Math.max(startedAt, Date.now() - 60_000);
    for (const lambda of await logs.lambdas()) {
      for (const line of await logs.read(lambda, since)) {
        const failure = failureInLogLine(line.message);
        const key = `${lambda} ${line.at} ${line.message}`;
        if (!failure || seen.has(key)) continue;
        seen.add(key);
        onFailure(line, failure);
      }
    }
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void checkLogs()
      .catch(() => undefined)
      .finally(() => {
        isChecking = false;
      });
  }, milliseconds).unref();
  return () => {
    clearInterval(timer);
    logs.close();
  };
};
