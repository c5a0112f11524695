import { SegmentedControl } from '@cloudscape-design/components';
import { useSearchParams } from 'react-router';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { chartWords } from '../../words/pages/monitoring.ts';

const minutesOf = { hour: 60, day: 1440, week: 10_080, fortnight: 20_160 } as const;
const ranges = keysOf(minutesOf);
const parameter = 'time';

/** The lookback time of the charts, which is kept in the URL, and the control that changes it. */
export const useTimeRange = () => {
  const [search, setSearch] = useSearchParams();
  const chosen = ranges.find((range) => range === search.get(parameter)) ?? 'hour';
  const choose = (range: string): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.set(parameter, range);
        return after;
      },
      { replace: true, preventScrollReset: true },
    );
  return {
    lookback: minutesOf[chosen],
    control: (
      <SegmentedControl
        label={chartWords.range}
        selectedId={chosen}
        onChange={({ detail }) => choose(detail.selectedId)}
        options={ranges.map((id) => ({ id, text: chartWords.ranges[id] }))}
      />
    ),
  };
};
