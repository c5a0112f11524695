/**
 * The part of ical.js that the command line uses. Its own types have no jCard (RFC 7095), which these functions read
 * and write.
 */
declare module 'ical.js' {
  /** A component as jCard has it: its name, its properties, and the components in it. */
  type JCard = readonly [name: string, properties: readonly unknown[], components: readonly unknown[]];

  const icalendar: {
    /** Parses one component. @throws Error for lines that are no component. */
    parse(text: string): JCard;
    /** Writes a component in lines of at most 75 octets. */
    stringify(component: JCard): string;
  };
  export default icalendar;
}
