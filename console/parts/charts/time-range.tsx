import { SegmentedControl } from '@cloudscape-design/components';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { useUrlParameters } from '../../page/url-parameters.ts';
import { chartWords } from '../../words/pages/monitoring.ts';

const minutesOf = { hour: 60, day: 1440, week: 10_080, fortnight: 20_160 } as const;
const ranges = keysOf(minutesOf);
const parameter = 'time';

/** The lookback time of the charts, which is kept in the URL, and the control that changes it. */
export const useTimeRange = () => {
  const [search, set] = useUrlParameters();
  const chosen = ranges.find((range) => range === search.get(parameter)) ?? 'hour';
  return {
    lookback: minutesOf[chosen],
    control: (
      <SegmentedControl
        label={chartWords.range}
        selectedId={chosen}
        onChange={({ detail }) => set({ [parameter]: detail.selectedId })}
        options={ranges.map((id) => ({ id, text: chartWords.ranges[id] }))}
      />
    ),
  };
};
