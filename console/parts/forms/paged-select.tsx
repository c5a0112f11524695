import { Select, type SelectProps } from '@cloudscape-design/components';
import { useEffect, useRef, useState } from 'react';
import { searchedText, typingPause, type ListSource } from '../../api/use-list.ts';
import { words } from '../../words/words.ts';
import type { FieldInput } from './field-input.tsx';

export type PagedSelectProps<Item> = Parameters<FieldInput>[0] & {
  readonly source: ListSource<Item>;
  readonly optionOf: (item: Item) => { readonly value: string; readonly label: string; readonly description?: string };
  /** Finds entries by what is typed, among all of them. Without it, those that were read are searched. */
  readonly onFind?: (query: string) => void;
  /** The label for screen readers, when no visible label is beside the select. */
  readonly ariaLabel?: string;
};

/**
 * A choice among the entries of a list. Its value is the id of an entry. Further pages are read while a person scrolls. The
 * chosen entry stays shown when it is not among those that were found.
 */
export const PagedSelect = <Item,>({ source, optionOf, value, onChange, isInvalid, onFind, ariaLabel }: PagedSelectProps<Item>) => {
  const options = (source.items ?? []).map(optionOf);
  const [chosen, setChosen] = useState<SelectProps.Option | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Select
      selectedOption={options.find((option) => option.value === value) ?? (chosen?.value === value ? chosen : null)}
      options={options}
      invalid={isInvalid}
      filteringType={onFind ? 'manual' : 'auto'}
      placeholder={words.form.choose}
      {...(ariaLabel !== undefined && { ariaLabel })}
      statusType={source.isReading ? 'loading' : source.error ? 'error' : source.readMore ? 'pending' : 'finished'}
      errorText={words.errors.unreachable.title}
      onLoadItems={({ detail: { firstPage, filteringText } }) => {
        if (!firstPage || !onFind) return source.readMore?.();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onFind(searchedText(filteringText)), typingPause);
      }}
      onChange={({ detail }) => {
        setChosen(detail.selectedOption);
        onChange(detail.selectedOption.value);
      }}
    />
  );
};
