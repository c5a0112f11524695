import { FormField, RadioGroup } from '@cloudscape-design/components';
import { keysOf } from '../../../contract/values/typed-entries.ts';

type ChoiceProps<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  /** The label of each value. */
  readonly options: { readonly [V in Value]?: string };
  readonly onChange: (value: Value) => void;
};

/** A choice among a few values, all of which are shown. */
export const Choice = <Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) => (
  <FormField label={label}>
    <RadioGroup
      value={value}
      onChange={({ detail }) => {
        const chosen = keysOf(options).find((each) => each === detail.value);
        if (chosen !== undefined) onChange(chosen);
      }}
      items={Object.entries<string | undefined>(options).map(([id, text]) => ({ value: id, label: text }))}
    />
  </FormField>
);
