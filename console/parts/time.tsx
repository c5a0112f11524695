import Popover from '@cloudscape-design/components/popover';
import { usePreferences } from '../app/preferences.ts';
import { fullTime, relativeTime } from '../words/times.ts';
import { words } from '../words/words.ts';
import { DetailList } from './details.tsx';

const formatsIn = (timeZone: 'UTC' | undefined) => ({
  short: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  precise: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone }),
});
const formats = { local: formatsIn(undefined), UTC: formatsIn('UTC') } as const;

/** A time in the zone that the person prefers, on request with its seconds. The time in UTC shows on hover. */
export const Time = ({ at, isPrecise = false }: { readonly at: string; readonly isPrecise?: boolean }) => {
  const { timeZone } = usePreferences();
  const text = formats[timeZone][isPrecise ? 'precise' : 'short'].format(new Date(at));
  return <time dateTime={at} title={at}>{timeZone === 'UTC' ? `${text} UTC` : text}</time>;
};

/** A time among details: its zone, UTC and how long ago it is are shown on request, by mouse, touch and keyboard. */
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
    <Time at={at} />
  </Popover>
);
