import { Box, Popover } from '@cloudscape-design/components';
import { usePreferences } from '../../page/preferences.ts';
import { fullTime, relativeTime } from '../../words/times.ts';
import { words } from '../../words/words.ts';
import { DetailList } from './details.tsx';

const formatsIn = (timeZone: 'UTC' | undefined) => {
  const plain = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone });
    return (at: Date): string => format.format(at);
  };
  const named = (options: Intl.DateTimeFormatOptions) => {
    const text = plain(options);
    return (at: Date): string => (timeZone === undefined ? text(at) : `${text(at)} ${timeZone}`);
  };
  return {
    short: named({ dateStyle: 'medium', timeStyle: 'short' }),
    /** A date with a time to the second. */
    precise: named({ dateStyle: 'medium', timeStyle: 'medium' }),
    clock: named({ timeStyle: 'short' }),
    /** A time to the second, without the date. */
    preciseClock: named({ timeStyle: 'medium' }),
    /** A time and a date on an axis. The title of the axis has the time zone. */
    axisTime: plain({ hour: '2-digit', minute: '2-digit' }),
    axisDay: plain({ month: 'short', day: 'numeric' }),
    timeZone,
  };
};
const formats = { local: formatsIn(undefined), UTC: formatsIn('UTC') } as const;

/** The formats of times in the time zone that the person prefers. A zone other than the browser's own is named. */
export const useTimeFormats = () => formats[usePreferences().timeZone];

/**
 * A time in the zone that the person prefers, optionally with seconds. The time in UTC shows on hover; a setting shows
 * all times in UTC.
 */
export const Time = ({ at, isPrecise = false }: { readonly at: string; readonly isPrecise?: boolean }) => {
  const { short, precise } = useTimeFormats();
  return (
    <time dateTime={at} title={at}>
      {(isPrecise ? precise : short)(new Date(at))}
    </time>
  );
};

/** The time of a step of a timeline, to the second. */
export const StepTime = ({ at }: { readonly at: string }) => (
  <Box color="text-body-secondary">
    <Time at={at} isPrecise />
  </Box>
);

/** A time in details: its zone, UTC and its age are shown on request, by mouse, touch and keyboard. */
export const DetailedTime = ({ at }: { readonly at: string }) => (
  <Popover
    dismissButton={false}
    position="top"
    size="medium"
    triggerType="text"
    header={relativeTime(at, Date.now())}
    content={
      <DetailList
        columns={1}
        details={[
          { label: words.times.local, value: fullTime(at, undefined) },
          { label: words.times.utc, value: fullTime(at, 'UTC') },
        ]}
      />
    }
  >
    <Box variant="span" fontSize="body-m" color="inherit">
      <Time at={at} />
    </Box>
  </Popover>
);
