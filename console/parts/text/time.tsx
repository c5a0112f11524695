import Box from '@cloudscape-design/components/box';
import Popover from '@cloudscape-design/components/popover';
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
    /** A day with its time. */
    short: named({ dateStyle: 'medium', timeStyle: 'short' }),
    /** A day with its time to the second. */
    precise: named({ dateStyle: 'medium', timeStyle: 'medium' }),
    /** A time of today. */
    clock: named({ timeStyle: 'short' }),
    /** A time of today to the second. */
    preciseClock: named({ timeStyle: 'medium' }),
    /** A time and a day on an axis, whose title has the zone. */
    axisTime: plain({ hour: '2-digit', minute: '2-digit' }),
    axisDay: plain({ month: 'short', day: 'numeric' }),
    timeZone,
  };
};
const formats = { local: formatsIn(undefined), UTC: formatsIn('UTC') } as const;

/** The formats of times in the zone that the person prefers. Other zones than their own are named. */
export const useTimeFormats = () => formats[usePreferences().timeZone];

/**
 * A time in the zone that the person prefers, on request with its seconds. The time in UTC shows on hover; the menu of
 * settings shows all times in UTC.
 */
export const Time = ({ at, isPrecise = false }: { readonly at: string; readonly isPrecise?: boolean }) => {
  const { short, precise } = useTimeFormats();
  return <time dateTime={at} title={at}>{(isPrecise ? precise : short)(new Date(at))}</time>;
};

/** A time in details: its zone, UTC and its age are shown on request, by mouse, touch and keyboard. */
export const DetailedTime = ({ at }: { readonly at: string }) => (
  <Popover
    dismissButton={false} position="top" size="medium" triggerType="text" header={relativeTime(at, Date.now())}
    content={(
      <DetailList
        columns={1}
        details={[{ label: words.times.local, value: fullTime(at, undefined) }, { label: words.times.utc, value: fullTime(at, 'UTC') }]}
      />
    )}
  >
    <Box variant="span" fontSize="body-m" color="inherit"><Time at={at} /></Box>
  </Popover>
);
