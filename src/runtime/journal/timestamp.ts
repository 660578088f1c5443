/** The same text as `toISOString`, whose first call prepares time zones and takes longer than everything else here. */
export function timestampOf(date: Date): string {
  const day = `${date.getUTCFullYear()}-${digits(date.getUTCMonth() + 1)}-${digits(date.getUTCDate())}`;
  const time = `${digits(date.getUTCHours())}:${digits(date.getUTCMinutes())}:${digits(date.getUTCSeconds())}`;
  return `${day}T${time}.${digits(date.getUTCMilliseconds(), 3)}Z`;
}

function digits(number: number, length = 2): string {
  return `${number}`.padStart(length, "0");
}
