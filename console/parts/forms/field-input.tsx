import { Checkbox, Input, Multiselect, Select, Textarea } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { fieldWords } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import type { FormField } from './form-fields.ts';

export type FieldInput = (props: { readonly value: unknown; readonly onChange: (value: unknown) => void; readonly isInvalid: boolean }) => ReactNode;

const optionOf = (value: string) => ({ value, label: fieldWords.values[value] ?? value });

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Maximum length of a text whose input has one line. */
const longText = 600;

/** The longest text that the field accepts, from `at most 10000 characters`. */
const maxLength = (limits: string): number => Number(/(?<!\d)(\d+) characters/.exec(limits)?.[1] ?? 0);

export const inputFor =
  ({ name, kind, repeated, values, default: fallback, required, limits }: FormField): FieldInput =>
  ({ value, onChange, isInvalid }) => {
    if (kind === 'boolean') {
      const checked = typeof value === 'boolean' ? value : fallback === true;
      return (
        <Checkbox checked={checked} onChange={({ detail }) => onChange(detail.checked)}>
          {words.form.yes}
        </Checkbox>
      );
    }
    if (kind === 'enum' && repeated) {
      const chosen: readonly string[] = Array.isArray(value) ? value : [];
      return (
        <Multiselect
          selectedOptions={chosen.map(optionOf)}
          options={values.map(optionOf)}
          placeholder={words.form.choose}
          invalid={isInvalid}
          onChange={({ detail }) => onChange(detail.selectedOptions.flatMap((option) => option.value ?? []))}
        />
      );
    }
    if (kind === 'enum') {
      const options = values.map(optionOf);
      const selected = options.find((option) => option.value === (value ?? fallback)) ?? null;
      return (
        <Select
          selectedOption={selected}
          options={required || fallback !== undefined ? options : [{ value: '', label: words.form.none }, ...options]}
          invalid={isInvalid}
          placeholder={words.form.choose}
          onChange={({ detail }) => onChange(detail.selectedOption.value || undefined)}
        />
      );
    }
    const text = textOf(value);
    if (kind === 'text' && maxLength(limits) >= longText && !name.endsWith('_url')) {
      return <Textarea value={text} invalid={isInvalid} onChange={({ detail }) => onChange(detail.value)} />;
    }
    return (
      <Input
        value={text}
        invalid={isInvalid}
        inputMode={kind === 'integer' ? 'numeric' : 'text'}
        placeholder={textOf(fallback)}
        onChange={({ detail }) => onChange(detail.value)}
      />
    );
  };
