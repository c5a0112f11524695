import { Select } from '@cloudscape-design/components';
import type { ListSource } from '../../api/use-list.ts';
import { words } from '../../words/words.ts';
import type { FieldInput } from './field-input.tsx';

export type PagedSelectProps<Item> = Parameters<FieldInput>[0] & {
  readonly source: ListSource<Item>;
  readonly optionOf: (item: Item) => { readonly value: string; readonly label: string; readonly description?: string };
  /** The label for screen readers, when no visible label is beside the select. */
  readonly ariaLabel?: string;
};

/**
 * A choice among the entries of a list. Its value is the id of an entry. Further pages are read while a person scrolls.
 */
export const PagedSelect = <Item,>({ source, optionOf, value, onChange, isInvalid, ariaLabel }: PagedSelectProps<Item>) => {
  const options = (source.items ?? []).map(optionOf);
  return (
    <Select
      selectedOption={options.find((option) => option.value === value) ?? null}
      options={options}
      invalid={isInvalid}
      filteringType="auto"
      placeholder={words.form.choose}
      {...(ariaLabel !== undefined && { ariaLabel })}
      statusType={source.isReading ? 'loading' : source.error ? 'error' : source.readMore ? 'pending' : 'finished'}
      errorText={words.errors.unreachable.title}
      onLoadItems={() => source.readMore?.()}
      onChange={({ detail }) => onChange(detail.selectedOption.value)}
    />
  );
};
