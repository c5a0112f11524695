import { CloudWatchLogsClient, paginateDescribeLogGroups, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { awsOf, type AwsPlace } from './aws-target.ts';

export type LogLine = { readonly lambda: string; readonly at: number; readonly message: string };

export type LambdaLogs = {
  /** Names of the stack's Lambdas, without the stack's. */
  lambdas(): Promise<string[]>;
  /** What a Lambda wrote since a moment (milliseconds since 1970), oldest first. */
  read(lambda: string, since: number): Promise<LogLine[]>;
  close(): void;
};

/** The stack's Lambda logs in CloudWatch Logs. */
export const lambdaLogsOf = (aws: AwsPlace, stackName: string): LambdaLogs => {
  const client = new CloudWatchLogsClient(awsOf(aws));
  const prefix = `/aws/lambda/${stackName}-`;
  return {
    async lambdas() {
      const names: string[] = [];
      for await (const page of paginateDescribeLogGroups({ client }, { logGroupNamePrefix: prefix })) {
        names.push(...(page.logGroups ?? []).map((group) => (group.logGroupName ?? '').slice(prefix.length)));
      }
      return names.sort();
    },
    async read(lambda, since) {
      const lines: LogLine[] = [];
      for await (const page of paginateFilterLogEvents({ client }, { logGroupName: prefix + lambda, startTime: since })) {
        lines.push(...(page.events ?? []).map((event) => ({ lambda, at: event.timestamp ?? 0, message: (event.message ?? '').trimEnd() })));
      }
      return lines.sort((a, b) => a.at - b.at);
    },
    close: () => client.destroy(),
  };
};

type Record = { level?: string; message?: string; error_name?: string; error?: { name?: string; message?: string } };

const recordOf = (message: string): Record | undefined => {
  try {
    return JSON.parse(message) as Record;
  } catch {
    return undefined;
  }
};

/** What a log line says went wrong; undefined for one that reports no failure. */
export const failureIn = (message: string): string | undefined => {
  const record = recordOf(message);
  if (record) {
    if (record.level !== 'ERROR' && record.level !== 'CRITICAL') return undefined;
    return [record.message, record.error_name, record.error && `${record.error.name}: ${record.error.message}`].filter(Boolean).join(': ');
  }
  return /\bTask timed out\b|\bRuntime\.\w+|\bUncaught\b|\bUnhandled\b/.test(message) ? message.split('\n')[0] : undefined;
};

/** Looks every few seconds for failures that Lambdas logged. @returns what ends it. */
export const watchFailures = (logs: LambdaLogs, tell: (line: LogLine, failure: string) => void, milliseconds = 3000): (() => void) => {
  const seen = new Set<string>();
  const begun = Date.now();
  let looking = false;
  const look = async (): Promise<void> => {
    const since = Math.max(begun, Date.now() - 60_000);
    for (const lambda of await logs.lambdas()) {
      for (const line of await logs.read(lambda, since)) {
        const failure = failureIn(line.message);
        const key = `${lambda} ${line.at} ${line.message}`;
        if (!failure || seen.has(key)) continue;
        seen.add(key);
        tell(line, failure);
      }
    }
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().catch(() => undefined).finally(() => { looking = false; });
  }, milliseconds).unref();
  return () => { clearInterval(timer); logs.close(); };
};
