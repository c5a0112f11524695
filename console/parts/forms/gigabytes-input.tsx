import { Input } from '@cloudscape-design/components';
import { useState } from 'react';
import { gigabyte, octetsOf } from '../../words/octets.ts';
import type { FieldInput } from './field-input.tsx';

const Gigabytes: FieldInput = ({ value, onChange, isInvalid }) => {
  const [typed, setTyped] = useState(typeof value === 'number' ? String(value / gigabyte) : '');
  return (
    <Input
      value={typed}
      invalid={isInvalid}
      inputMode="decimal"
      onChange={({ detail }) => {
        setTyped(detail.value);
        onChange(octetsOf(detail.value));
      }}
    />
  );
};

/** An input for octets that are written in gigabytes. */
export const GigabytesInput: FieldInput = (props) => <Gigabytes {...props} />;
