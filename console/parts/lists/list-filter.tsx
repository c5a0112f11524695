import { Select } from '@cloudscape-design/components';

type Option = { readonly value: string; readonly label: string };

type ListFilterProps = {
  readonly label: string;
  readonly value: string;
  /** The label of the choice that filters nothing. */
  readonly all: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
};

/** A filter of a list by the API. Without a choice, its value is empty. */
export const ListFilter = ({ label, value, all, options, onChange }: ListFilterProps) => {
  const choices = [{ value: '', label: all }, ...options];
  return (
    <div className="list-filter">
      <Select
        ariaLabel={label}
        inlineLabelText={label}
        selectedOption={choices.find((option) => option.value === value) ?? choices[0]!}
        options={choices}
        filteringType="auto"
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    </div>
  );
};
