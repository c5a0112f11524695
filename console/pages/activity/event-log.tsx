import { Box, SpaceBetween } from '@cloudscape-design/components';
import { functionLogGroup } from '../../../contract/deployment/monitored-resources.ts';
import { isolated } from '../../../contract/values/isolated.ts';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { phrase } from '../../words/phrase.ts';
import type { DeliveryState } from './sent-message.ts';

/**
 * Seconds of the log around an event: the window in which the message's lines are searched, and the window of which all
 * lines are shown.
 */
const [ownWindow, window] = [900, 60];
/** Maximum lines about other things that are shown. */
const shownLines = 100;

/** The Lambda whose log contains an event. SES's events are recorded by a separate Lambda. */
const lambdaOf = (type: DeliveryState): string => (['DELIVERED', 'DELAYED', 'BOUNCED', 'SOFT_BOUNCED', 'COMPLAINED'].includes(type) ? 'mail-events' : 'submit');

/** Fields of a log line that are not about the message. */
const leftOut = new Set(['timestamp', 'service', 'sampling_rate', 'level', 'message']);

const fieldText = ([name, value]: [string, unknown]): string => phrase`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;

/** A line of JSON as text: its level, its message and its other fields. Other lines are unchanged. */
const readable = (line: string): string => {
  try {
    const { level = '', message = '', ...fields }: { readonly [name: string]: unknown } = JSON.parse(line);
    const rest = Object.entries(fields)
      .filter(([name]) => !leftOut.has(name))
      .map(fieldText);
    return [level, isolated(String(message)), ...rest].join(' ');
  } catch {
    return line.trim();
  }
};

type Line = { readonly timestamp: string; readonly message: string };

const Lines = ({
  title,
  lines,
  none,
  isOwn = false,
}: {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly none: string;
  readonly isOwn?: boolean;
}) => (
  <div>
    <Box variant="h4">{title}</Box>
    {lines.length === 0 ? (
      <Box color="text-body-secondary">{none}</Box>
    ) : (
      // A region that scrolls can be reached by the keyboard.
      <pre className={isOwn ? 'log-lines log-wrapped log-own' : 'log-lines log-wrapped'} tabIndex={0} role="region" aria-label={title}>
        {lines.map(({ timestamp, message }) => `${timestamp} ${readable(message)}`).join('\n')}
      </pre>
    )}
  </div>
);

/** The lines of a log around a time. Lines about the message come first. */
const LogAround = ({ logGroup, at, submissionId }: { readonly logGroup: string; readonly at: string; readonly submissionId: string }) => {
  const center = { log_group: logGroup, center_timestamp: at };
  const own = useAdminQuery('monitoring', 'GetLogContext', { ...center, window_seconds: ownWindow, correlation_id: submissionId });
  const all = useAdminQuery('monitoring', 'GetLogContext', { ...center, window_seconds: window, limit: shownLines });
  return (
    <SpaceBetween size="s">
      <Box variant="small">{logGroup}</Box>
      <QueryView query={own}>{({ lines }) => <Lines title={activityWords.ownLines} lines={lines} none={activityWords.noOwnLines} isOwn />}</QueryView>
      <QueryView query={all}>
        {({ lines }) => (
          <Lines title={activityWords.otherLines} lines={lines.filter(({ message }) => !message.includes(submissionId))} none={activityWords.noOtherLines} />
        )}
      </QueryView>
      <PageLink to="/monitoring">{activityWords.monitoring}</PageLink>
    </SpaceBetween>
  );
};

export const EventLog = ({ type, at, submissionId }: { readonly type: DeliveryState; readonly at: string; readonly submissionId: string }) => {
  const overview = useAdminQuery('monitoring', 'GetOverview', {});
  return (
    <QueryView query={overview}>
      {({ functions }) => {
        const found = functions.find(({ name }) => name === lambdaOf(type));
        return found ? <LogAround logGroup={functionLogGroup(found.function_name)} at={at} submissionId={submissionId} /> : <Box>{activityWords.noLog}</Box>;
      }}
    </QueryView>
  );
};
