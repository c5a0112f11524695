import { FormField, RadioGroup } from '@cloudscape-design/components';

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
      onChange={({ detail }) => onChange(detail.value as Value)}
      items={Object.entries<string | undefined>(options).map(([id, text]) => ({ value: id, label: text }))}
    />
  </FormField>
);
