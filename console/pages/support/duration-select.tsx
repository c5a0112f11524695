import { Select } from '@cloudscape-design/components';
import { useState } from 'react';
import { activation } from '../../../contract/admin/support.ts';
import type { FieldInput } from '../../parts/forms/field-input.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { formatDuration } from '../../words/times.ts';
import { words } from '../../words/words.ts';

/** Choices for the duration of access in seconds, besides the default and the maximum. */
const usual = [3_600, 8 * 3_600, 86_400];

const durations = [...new Set([...usual, activation.defaultOnOpen, activation.max])].toSorted((one, other) => one - other);
const options = durations.map((seconds) => ({ value: String(seconds), label: supportWords.for(formatDuration(seconds)) }));

/** A choice of the duration of access, in seconds. */
export const DurationSelect: FieldInput = ({ value, onChange, isInvalid }) => (
  <Select
    selectedOption={options.find((option) => Number(option.value) === (value ?? activation.defaultOnOpen)) ?? null}
    options={options}
    invalid={isInvalid}
    onChange={({ detail }) => onChange(Number(detail.selectedOption.value))}
  />
);

const endNow = { value: '0', label: supportWords.endNow };

const Until: FieldInput = ({ onChange, isInvalid }) => {
  const [chosen, setChosen] = useState<string>();
  const all = [...options, endNow];
  return (
    <Select
      selectedOption={all.find((option) => option.value === chosen) ?? null}
      options={all}
      placeholder={words.form.choose}
      invalid={isInvalid}
      onChange={({
        detail: {
          selectedOption: { value = '0' },
        },
      }) => {
        setChosen(value);
        onChange(new Date(Date.now() + Number(value) * 1_000).toISOString());
      }}
    />
  );
};

/** A choice of the time at which access ends, counted from now. */
export const UntilSelect: FieldInput = (props) => <Until {...props} />;
